// The configuration reference: what docs/configuration.md says of each field.
//
// Names and types come from the schemas, defaults from a configuration that is loaded. A test compares the
// notes with the schemas, the limits with the validation, and the tables with the page.
// Threads: pure functions. Errors: none; a field without a note has an empty cell.
#pragma once

#include <span>
#include <string>
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

// The tables of docs/configuration.md.
std::string configuration_tables();

}  // namespace podium::config
