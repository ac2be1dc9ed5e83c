// Reason: why a plugin rejects a pod. A code for programs, its topics, and kube-scheduler's text.
//
// One table (reason_codes.h) has the name, the plugins, kube-scheduler's text and plain words of each code. A
// plugin gives the code and its topics; code that shows a reason to users asks for its words. No code derives
// a reason from its text.
//
// Threads: values and pure functions. Errors: none.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scheduler/framework/reason_codes.h"

namespace podium::framework {

// The topics of a reason.
enum class Topic : std::uint8_t {
  resource,
  claim,
  storage_class,
  volume,
  device_class,
  request,
  driver,
  node,
  label  // its key
};
using Topics = std::vector<std::pair<Topic, std::string>>;
// The first name of that topic; empty if there is none.
std::string_view named(const Topics& about, Topic topic);

struct Reason {
  ReasonCode code = ReasonCode::other;
  std::string text;   // kube-scheduler's
  Topics about = {};  // the names in its words, in any order

  Reason() = default;
  // Only a text, as foreign plugins give it.
  Reason(std::string text_) : text(std::move(text_)) {}
  Reason(const char* text_) : text(text_) {}
  // With the code's own text.
  explicit Reason(ReasonCode code_, Topics about_ = {});
  // With a text that kube-scheduler composes in this case.
  Reason(ReasonCode code_, std::string text_, Topics about_ = {})
      : code(code_), text(std::move(text_)), about(std::move(about_)) {}

  bool operator==(const Reason&) const = default;
};

std::span<const ReasonRow> reason_rows();
const ReasonRow& row_of(ReasonCode code);
// The plugins that give it, by name; none: several together, or any.
std::span<const std::string_view> plugins_of(const ReasonRow& row);
// Null: no code has this name. For reports, which a newer podium may have written.
const ReasonRow* find_reason(std::string_view name);

// The text with the names filled in, without those that are unknown.
std::string fill(std::string_view text, const Topics& about);

}  // namespace podium::framework
