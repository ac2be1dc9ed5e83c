// What docs/configuration.md says of each field of the configuration.
//
// A test compares the notes with the schemas and the limits with the validation, and makes the page's tables.
// Threads: constants.
#pragma once

#include <span>
#include <string_view>

namespace podium::config {

// Bounds of a value, as YAML. Empty: there is none.
struct Limits {
  std::string_view low, high;     // the outermost values that are accepted
  std::string_view below, above;  // values next to them, which are refused
};

struct FieldNote {
  std::string_view path;  // "reports.ttl", "profiles[].schedulerName", "NodeResourcesFit.scoringStrategy"
  std::string_view about;
  Limits limits = {};
  bool opaque = false;  // the fields below it have no rows
};

std::span<const FieldNote> podium_notes();
std::span<const FieldNote> kube_notes();
std::span<const FieldNote> args_notes();  // the first segment of a path is the plugin

}  // namespace podium::config
