#include "explain/workload/spec_findings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <ranges>
#include <utility>

namespace podium::explain {

Error SpecFindings::error() const {
  const auto texts = findings_ | std::views::transform(&Finding::text);
  return Error{.kind = Error::Kind::invalid,
               .message = fmt::format("{}", fmt::join(texts, "; ")),
               .findings = findings_};
}

void SpecFindings::add(const Error& error) {
  std::ranges::copy(findings_of(error), std::back_inserter(findings_));
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

}  // namespace podium::explain
