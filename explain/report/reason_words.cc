#include "explain/report/reason_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/similar.h"
#include "explain/report/each_field.h"
#include "explain/report/report.h"

namespace podium::explain {

framework::Topics about_of(const framework::Reason& reason) {
  auto about = reason.about;
  for (auto& [topic, name] : about) name = cut(std::move(name), kTopicBytes[static_cast<std::size_t>(topic)]);
  return about;
}

Cause cause_of(const framework::Reason& reason) {
  return {std::string(framework::row_of(reason.code).name), about_of(reason)};
}

std::string reason_words(std::string_view code, const framework::Topics& about, std::string_view text) {
  const auto* row = framework::find_reason(code);
  return row && !row->words.empty() ? framework::fill(row->words, about) : std::string(text);
}

std::string reason_words(const ReportRejection& rejection) {
  return reason_words(rejection.code, rejection.about, rejection.reason);
}

std::string no_node(const std::string& name, const std::vector<std::string>& near) {
  const auto& words = framework::row_of(framework::ReasonCode::node_not_found).words;
  return framework::fill(words, {{framework::Topic::node, name}}) +
         (near.empty() ? "" : ". " + suggestion(near));
}

std::string plural_of(std::string_view words) {
  constexpr std::pair<std::string_view, std::string_view> kVerbs[] = {
      {"already has its ", "already have their "},
      {"already runs its ", "already run their "},
      {"does ", "do "},
      {"has ", "have "},
      {"is ", "are "},
      {"would have more than its ", "would have more than their "},
  };
  for (const auto& [one, many] : kVerbs) {
    if (words.starts_with(one)) return std::string(many) + std::string(words.substr(one.size()));
  }
  return std::string(words);
}

namespace {

// "pods 143/150, requests.cpu 292/200".
std::string quota_uses(const QuotaAnswer& quota, std::string QuotaUse::* amount) {
  constexpr std::size_t kResources = 4;
  std::string out;
  for (std::size_t i = 0; i < std::min(quota.resources.size(), kResources); ++i) {
    const auto& use = quota.resources[i];
    out += fmt::format("{}{} {}/{}", out.empty() ? "" : ", ", use.resource, use.*amount, use.hard);
  }
  return out;
}

}  // namespace

std::string quota_words(const QuotaAnswer& quota, std::size_t asked) {
  if (!quota.reason.empty()) return "refuses these pods: " + quota.reason;
  return quota_uses(quota, &QuotaUse::then) +
         (quota.allowed < asked ? fmt::format(": exceeded from replica {} on", quota.allowed + 1)
                                : fmt::format(": allows {} more", quota.allowed - asked));
}

std::string quota_words_now(const QuotaAnswer& quota, std::size_t asked) {
  if (!quota.reason.empty()) return "refuses these pods: " + quota.reason;
  return fmt::format(
      "now {}: allows {} in all", quota_uses(quota, &QuotaUse::used),
      quota.allowed < asked ? fmt::to_string(quota.allowed) : fmt::format("at least {}", asked));
}

bool is_of_pod(std::string_view code) {
  const auto* row = framework::find_reason(code);
  return row && row->is_of_pod;
}

}  // namespace podium::explain
