#include "base/problems.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <ranges>

namespace podium {

void Problems::add(Finding finding) {
  for (std::string_view at = finding.path; !at.empty() && !unreadable_.empty(); at = parent_path(at)) {
    if (unreadable_.contains(at)) return;
  }
  findings_.push_back(std::move(finding));
}

void Problems::add_all(const Error& error) {
  std::ranges::copy(findings_of(error), std::back_inserter(findings_));
}

void Problems::unreadable(const FieldPath& path, std::string_view reason) {
  add(path, reason);
  unreadable_.insert(path.text());
}

void Problems::required(const FieldPath& path, std::string_view detail) {
  add(path, detail.empty() ? "Required value" : fmt::format("Required value: {}", detail));
}

void Problems::invalid(const FieldPath& path, const ShownValue& value, std::string_view detail) {
  add(path, fmt::format("Invalid value: {}: {}", value.text, detail));
}

void Problems::duplicate(const FieldPath& path, const ShownValue& value) {
  add(path, fmt::format("Duplicate value: {}", value.text));
}

void Problems::not_supported(const FieldPath& path, const ShownValue& value,
                             std::span<const std::string_view> supported) {
  add(path, fmt::format("Unsupported value: {}: supported values: \"{}\"", value.text,
                        fmt::join(supported, "\", \"")));
}

void Problems::not_supported(const FieldPath& path, std::string_view detail) {
  add(path, fmt::format("Unsupported value: {}", detail));
}

void Problems::forbidden(const FieldPath& path, std::string_view detail) {
  add(path, fmt::format("Forbidden: {}", detail));
}

void Problems::too_many(const FieldPath& path, std::size_t count, std::size_t most) {
  add(path, fmt::format("Too many: {}: must have at most {} items", count, most));
}

Error Problems::error() const {
  auto shown = findings_;
  if (shown.size() > kMostShown) {
    const auto further = shown.size() - kMostShown;
    shown.resize(kMostShown);
    shown.push_back({.reason = "and " + std::to_string(further) + " more", .is_whole = true});
  }
  return podium::invalid(std::move(shown)).error();
}

Error Problems::error_in_line() const {
  const auto texts = findings_ | std::views::transform(&Finding::text);
  return {.kind = Error::Kind::invalid,
          .message = fmt::format("{}", fmt::join(texts, "; ")),
          .findings = findings_};
}

}  // namespace podium
