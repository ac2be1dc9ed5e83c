// Lists the reports of the pods that preempt.
//
// Threads: as the Api's. Errors: as the Api's.
#pragma once

#include <boost/json/value.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "client/api.h"

namespace podium::controller {

// Page by page; each(reports) returns false to stop. With a CRD of an earlier release, which does not select
// by the field, lists the decisions on all pods without a node: they include those that wait for victims.
client::Task<Result<std::string>> list_preempting(client::Api& api, std::string ns, std::int64_t page,
                                                  std::function<bool(std::vector<boost::json::value>)> each,
                                                  client::CallOptions options);

}  // namespace podium::controller
