#include "explain/workload/spec_findings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

namespace podium::explain {

Error SpecFindings::error() const {
  return Error{.kind = Error::Kind::invalid, .message = fmt::format("{}", fmt::join(lines_, "; "))};
}

void SpecFindings::add(const Error& error) {
  std::istringstream lines(error.message);
  for (std::string line; std::getline(lines, line);) lines_.push_back(std::move(line));
}

Error below(const FieldPath& path, const Error& error) {
  std::vector<std::string> out;
  std::istringstream lines(error.message);
  for (std::string line; std::getline(lines, line);) {
    const bool is_more = !out.empty() && line.starts_with("and ");
    out.push_back(is_more ? line : line.contains(": ") ? (path / line).text() : path.said(line));
  }
  return invalid(join_lines(out)).error();
}

}  // namespace podium::explain
