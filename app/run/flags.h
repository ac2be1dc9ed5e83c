// The flags of `podium run`: every flag of kube-scheduler 1.37, and what podium does with it.
//
// The command, --help, /flagz and docs/flags.md derive from one table.
//
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "app/run/given.h"

namespace CLI {
class Option;
}

namespace podium::app::run {

struct Flag {
  enum class Support : std::uint8_t {
    same,     // works as in kube-scheduler
    own,      // podium only
    ignored,  // accepted with a warning; no effect
    refused,  // exit code 2, with the note as the reason
  };
  std::string_view name;  // without dashes
  std::string_view type;  // "bool", "string", "duration", …
  Support support;
  std::string_view note;     // its effect, or why it has none
  std::string_view initial;  // the default, as kube-scheduler prints it
  // The destination of its value; null: it has no effect, or it is --help.
  FlagTarget (*target)(Given& given) = nullptr;
};

std::span<const Flag> flags();  // sorted by name

// Adds all of them to the command. Those without effect are hidden from --help. Returns the options by flag.
using FlagOptions = std::map<const Flag*, CLI::Option*>;
FlagOptions add_flags(CLI::App& command, Given& given);

// The values of /flagz: the given value, else the default.
std::map<std::string, std::string> flag_values(const FlagOptions& options);

}  // namespace podium::app::run
