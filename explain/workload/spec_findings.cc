#include "explain/workload/spec_findings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace podium::explain {

Error SpecFindings::error() const {
  return Error{.kind = Error::Kind::invalid, .message = fmt::format("{}", fmt::join(lines_, "; "))};
}

}  // namespace podium::explain
