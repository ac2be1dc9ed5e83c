// The flags of `podium run`: every flag of kube-scheduler 1.36, and what podium does with it.
//
// docs/flags.md is generated from this table. A test compares the table with the command
// and the document.
//
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

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
  std::string_view note;  // what it does, or why it has no effect
};

std::span<const Flag> flags();  // sorted by name

std::string flags_document();  // docs/flags.md

}  // namespace podium::app::run
