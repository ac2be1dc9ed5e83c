// The exec credential plugin of a kubeconfig: a program that prints a token, a client certificate, or both.
//
// Runs without a shell or terminal, in its own process group, with a deadline and bounded output. Its
// credentials are cached until shortly before they expire or until refresh(), and for at least 10 s. After
// a failure the plugin is not run again for 1 s, doubling up to 30 s; until then current() returns the error.
// Logs slow runs. Standard error is inherited, as with client-go ("run aws sso login"), and never logged.
// Threads: any; runs are serialized. Errors: Kind::invalid and Kind::timeout name the command, not its
// output; Kind::cancelled after cancel().
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "client/auth/client_config.h"

namespace podium::client {

struct ExecPlugin {
  std::string api_version;  // client.authentication.k8s.io/v1 or /v1beta1
  std::string command;      // found in $PATH unless it has a slash
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;  // added to this process's environment
  std::string install_hint;
  std::string cluster_info;  // JSON of spec.cluster, if provideClusterInfo is set
  std::chrono::milliseconds deadline{60'000};
  std::size_t output_limit = 1u << 20;
  std::chrono::milliseconds slow{5'000};  // logs a warning if it still runs after this
};

std::shared_ptr<TokenSource> exec_credential(ExecPlugin plugin, Clock& clock);

}  // namespace podium::client
