// Given: the command line of `podium run` as CLI11 parses it, before validation. Values only.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "app/run/run_options.h"

namespace podium::app::run {

struct Given {
  RunOptions options;
  std::string version, logging_format, token_ttl, allowed_ttl, denied_ttl;
  std::vector<std::string> emulated;
  bool leader_elect = true;
  std::string lease_duration, renew_deadline, retry_period, resource_lock, resource_name, resource_namespace;
};

// The destination of a flag's value; its type decides how the flag is parsed.
using FlagTarget =
    std::variant<std::monostate, std::string*, bool*, int*, std::uint16_t*, std::vector<std::string>*>;

}  // namespace podium::app::run
