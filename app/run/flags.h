// The command line of `podium run` beside kube-scheduler's: every flag of kube-scheduler 1.36, and what
// podium does with it.
//
// docs/flags.md is made of this table, and a test holds the command to it.
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace podium::app::run {

struct Flag {
  enum class Support : std::uint8_t {
    same,     // does what kube-scheduler's does
    own,      // podium's alone
    ignored,  // accepted without effect, with a warning
    refused,  // ends the program, with the note as the reason
  };
  std::string_view name;  // without dashes
  std::string_view type;  // "bool", "string", "duration", …
  Support support;
  std::string_view note;  // what it does, or why it does not
};

std::span<const Flag> flags();  // sorted by name

std::string flags_document();  // docs/flags.md

}  // namespace podium::app::run
