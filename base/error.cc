#include "base/error.h"

namespace podium {

std::string Error::text() const { return request.line.empty() ? message : request.line + ": " + message; }

std::vector<Finding> findings_of(const Error& error) {
  return error.findings.empty() ? std::vector<Finding>{{.reason = error.message}} : error.findings;
}

std::string join_lines(const std::vector<Finding>& findings) {
  std::string out;
  for (const auto& finding : findings) out += (out.empty() ? "" : "\n") + finding.text();
  return out;
}

}  // namespace podium
