#include "scheduler/config/schema/file_problems.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/serialize.hpp>

#include "base/result.h"

namespace podium::config {
namespace {

// A missing field gets the line of its closest parent; 0: none has one.
int line_of(std::string_view path, const FileProblems::Lines& lines) {
  for (auto at = path; !at.empty(); at = parent_path(at)) {
    if (const auto it = lines.find(std::string(at)); it != lines.end()) return it->second;
  }
  return 0;
}

}  // namespace

ShownValue shown(const boost::json::value& value) { return ShownValue::as_is(boost::json::serialize(value)); }

std::string child(std::string_view path, std::string_view name) {
  return path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
}

std::string item(std::string_view path, std::size_t index) { return fmt::format("{}[{}]", path, index); }

FileProblems::operator bool() const {
  return std::ranges::any_of(documents_, [](const Document& each) { return bool(each.problems); });
}

std::vector<std::string> FileProblems::texts(const std::vector<Finding>& (Problems::*of_document)()
                                                 const) const {
  std::vector<std::pair<int, std::string>> found;
  for (const auto& [lines, problems] : documents_) {
    for (const auto& finding : (problems.*of_document)()) {
      const auto line = line_of(finding.path, *lines);
      const auto place = line > 0 ? fmt::format("{}:{}", file_, line) : file_;
      found.emplace_back(line, fmt::format("{}: {}", place, finding.text()));
    }
  }
  std::ranges::stable_sort(found, {}, &std::pair<int, std::string>::first);
  std::vector<std::string> out;
  for (auto& [line, text] : found) out.push_back(std::move(text));
  return out;
}

std::string FileProblems::text() const { return join_lines(texts(&Problems::findings)); }

std::vector<std::string> FileProblems::warnings() const { return texts(&Problems::warnings); }

}  // namespace podium::config
