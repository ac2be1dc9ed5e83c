#include "base/field_path.h"

#include <vector>

#include "base/result.h"

namespace podium {

std::string_view parent_path(std::string_view path) {
  const auto cut = path.find_last_of(".[");
  return cut == std::string_view::npos ? std::string_view() : path.substr(0, cut);
}

Finding below(const FieldPath& path, const Finding& finding) {
  if (finding.is_whole) return finding;
  return finding.path.empty() ? path.said(finding.reason) : (path / finding.path).said(finding.reason);
}

Error below(const FieldPath& path, const Error& error) {
  std::vector<Finding> out;
  for (const auto& finding : findings_of(error)) out.push_back(below(path, finding));
  return invalid(std::move(out)).error();
}

}  // namespace podium
