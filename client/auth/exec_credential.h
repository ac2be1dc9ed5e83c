// The exec credential plugin of a kubeconfig: a program that prints a token, a client certificate, or both.
//
// It is run without a shell and without a terminal, in a process group of its own, with a deadline and a
// bounded output; its credentials are kept until shortly before they expire, or until refresh(), but for ten
// seconds in any case. One that fails is run again after a pause that grows from 1 s to 30 s; until then its
// error is the answer. What it writes to standard error goes to podium's own, as with client-go ("run aws sso
// login"), and is in no log line or error. One that takes long is logged.
// Threads: any; runs one at a time. Errors: Kind::invalid and Kind::timeout name the command, not its output.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "client/auth/config.h"

namespace podium::client {

struct ExecPlugin {
  std::string api_version;  // client.authentication.k8s.io/v1 or /v1beta1
  std::string command;      // found in $PATH unless it has a slash
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;  // added to the process's own
  std::string install_hint;
  std::string cluster_info;  // JSON of spec.cluster, where provideClusterInfo is set
  std::chrono::milliseconds deadline{60'000};
  std::size_t output_limit = 1u << 20;
  std::chrono::milliseconds slow{5'000};  // it is logged that it is still running
};

std::shared_ptr<TokenSource> exec_credential(ExecPlugin plugin, Clock& clock);

}  // namespace podium::client
