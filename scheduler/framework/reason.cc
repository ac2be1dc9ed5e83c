#include "scheduler/framework/reason.h"

#include <algorithm>

namespace podium::framework {
namespace {

// By topic: the placeholder in braces.
constexpr std::string_view kPlaceholders[] = {"resource", "claim",  "class", "volume", "class",
                                              "request",  "driver", "node",  "label"};

}  // namespace

Reason::Reason(ReasonCode code_, Topics about_)
    : code(code_), text(fill(row_of(code_).text, about_)), about(std::move(about_)) {}

std::string_view named(const Topics& about, Topic topic) {
  const auto it = std::ranges::find(about, topic, [](const auto& one) { return one.first; });
  return it == about.end() ? std::string_view() : std::string_view(it->second);
}

std::span<const ReasonRow> reason_rows() { return kReasonRows; }

const ReasonRow& row_of(ReasonCode code) { return kReasonRows[static_cast<std::size_t>(code)]; }

std::span<const std::string_view> plugins_of(const ReasonRow& row) {
  return {row.plugins.begin(), std::ranges::find(row.plugins, std::string_view())};
}

const ReasonRow* find_reason(std::string_view name) {
  const auto it = std::ranges::find(kReasonRows, name, &ReasonRow::name);
  return it == kReasonRows.end() ? nullptr : &*it;
}

std::string fill(std::string_view text, const Topics& about) {
  if (!text.contains('{')) return std::string(text);
  std::string out;
  out.reserve(text.size() + 16);  // most names are short: one allocation
  while (!text.empty()) {
    const auto open = std::min(text.find('{'), text.size());
    out += text.substr(0, open);
    text.remove_prefix(open);
    if (text.empty()) break;
    const auto close = std::min(text.find('}'), text.size() - 1);
    const auto topic = text.substr(1, close - 1);
    text.remove_prefix(close + 1);
    const auto named = std::ranges::find_if(about, [&](const auto& one) {
      return kPlaceholders[static_cast<std::size_t>(one.first)] == topic && !one.second.empty();
    });
    if (named != about.end()) {
      out += named->second;
    } else if (!out.empty() && out.back() == ' ') {  // "its claim {claim} does": "its claim does"
      out.pop_back();
    }
  }
  return out;
}

}  // namespace podium::framework
