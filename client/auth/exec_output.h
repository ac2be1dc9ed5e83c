// Parses the output of an exec credential plugin: an ExecCredential.
// It has a token, a client certificate, or both.
//
// Threads: pure functions. Errors: Kind::invalid with the field, never its value: the output holds secrets.
#pragma once

#include <optional>
#include <string>

#include "base/instant.h"
#include "client/auth/client_config.h"

namespace podium::client {

struct ExecOutput {
  std::string token;
  std::optional<ClientCertificate> certificate;
  std::optional<Wall> expires;
};

// `api_version` is that of the plugin's configuration.
Result<ExecOutput> parse_exec_output(const std::string& output, const std::string& api_version);

}  // namespace podium::client
