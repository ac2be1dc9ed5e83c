#include "scheduler/config/schema/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/serialize.hpp>

#include "base/result.h"

namespace podium::config {
namespace {

// "a.b[1].c" → "a.b[1]" → "a.b" → "a" → "".
std::string_view parent(std::string_view path) {
  const auto cut = path.find_last_of(".[");
  return cut == std::string_view::npos ? std::string_view() : path.substr(0, cut);
}

}  // namespace

std::string child(std::string_view path, std::string_view name) {
  return path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
}

std::string item(std::string_view path, std::size_t index) { return fmt::format("{}[{}]", path, index); }

void Findings::use_lines(const std::map<std::string, int>* lines) {
  lines_ = lines;
  unreadable_.clear();
}

Findings::Finding Findings::make(std::string_view path, std::string_view text) const {
  Finding finding;
  // A missing field gets the line of its closest parent.
  for (auto at = path; lines_ && !at.empty() && finding.line == 0; at = parent(at)) {
    if (const auto it = lines_->find(std::string(at)); it != lines_->end()) finding.line = it->second;
  }
  finding.text = file_;
  if (finding.line > 0) finding.text += fmt::format(":{}", finding.line);
  finding.text += ": ";
  if (!path.empty()) finding.text += fmt::format("{}: ", path);
  finding.text += text;
  return finding;
}

bool Findings::is_consequence(std::string_view path) const {
  for (auto at = path; !at.empty(); at = parent(at)) {
    if (unreadable_.contains(at)) return true;
  }
  return false;
}

void Findings::error(std::string_view path, std::string_view text) {
  if (!is_consequence(path)) errors_.push_back(make(path, text));
}

void Findings::unreadable(std::string_view path, std::string_view text) {
  error(path, text);
  unreadable_.emplace(path);
}

void Findings::warn(std::string_view path, std::string_view text) { warnings_.push_back(make(path, text)); }

void Findings::invalid(std::string_view path, const boost::json::value& value, std::string_view detail) {
  error(path, fmt::format("Invalid value: {}: {}", boost::json::serialize(value), detail));
}

void Findings::required(std::string_view path, std::string_view detail) {
  error(path, detail.empty() ? "Required value" : fmt::format("Required value: {}", detail));
}

void Findings::duplicate(std::string_view path, const boost::json::value& value) {
  error(path, fmt::format("Duplicate value: {}", boost::json::serialize(value)));
}

void Findings::not_supported(std::string_view path, std::string_view value,
                             const std::vector<std::string>& supported) {
  std::string list;
  for (const auto& one : supported) list += fmt::format("{}\"{}\"", list.empty() ? "" : ", ", one);
  error(path, fmt::format("Unsupported value: {}: supported values: {}",
                          boost::json::serialize(boost::json::string(value)), list));
}

void Findings::forbidden(std::string_view path, std::string_view detail) {
  error(path, fmt::format("Forbidden: {}", detail));
}

std::string Findings::text() const {
  auto sorted = errors_;
  std::ranges::stable_sort(sorted, {}, &Finding::line);
  std::vector<std::string> lines;
  for (auto& finding : sorted) lines.push_back(std::move(finding.text));
  return join_lines(lines);
}

std::vector<std::string> Findings::warnings() const {
  auto sorted = warnings_;
  std::ranges::stable_sort(sorted, {}, &Finding::line);
  std::vector<std::string> lines;
  for (auto& finding : sorted) lines.push_back(std::move(finding.text));
  return lines;
}

}  // namespace podium::config
