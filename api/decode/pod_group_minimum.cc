#include "api/decode/pod_group_minimum.h"

#include <algorithm>
#include <cstdint>

#include "api/text/json_view.h"

namespace podium::api {

Result<std::size_t> pod_group_minimum(const boost::json::value& group) {
  if (find_at(group, "/spec/schedulingPolicy/basic")) return 1;
  auto minimum = integer_at(group, "/spec/schedulingPolicy/gang/minCount");
  if (!minimum) minimum = integer_at(group, "/spec/minMember");
  return static_cast<std::size_t>(std::max<std::int64_t>(0, minimum.value_or(0)));
}

}  // namespace podium::api
