// What-ifs about one pod after changes of the cluster, and what the answer says of each change.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "unit/explain/answer/asking.h"

namespace podium::unit {

// Returns where a pod with this many CPUs goes after the changes.
inline explain::ReportStatus after(const cluster::Snapshot& snapshot, std::string_view changes,
                                   std::string_view cpu = "1") {
  return ask(fmt::format(R"({{"template": {{"spec": {{"containers": [{{"name": "c", "image": "i",
                  "resources": {{"requests": {{"cpu": "{}"}}}}}}]}}}}, "changes": [{}]}})",
                         cpu, changes),
             snapshot);
}

inline std::string said(const explain::ReportStatus& status) {
  std::string out;
  for (const auto& each : status.answer->changes)
    out += fmt::format("{}{}{}: {}\n", each.type, each.node.empty() ? "" : " ", each.node, each.message);
  return out;
}

}  // namespace podium::unit
