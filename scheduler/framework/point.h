// Point: an extension point of the framework, as in `profiles[].plugins` of a configuration. A value.
#pragma once

#include <cstddef>
#include <cstdint>

namespace podium::framework {

// Upstream's order in errors and lists.
enum class Point : std::uint8_t {
  pre_enqueue,
  queue_sort,
  pre_filter,
  filter,
  post_filter,
  pre_score,
  score,
  reserve,
  permit,
  pre_bind,
  bind,
  post_bind,
  placement_generate,  // this and the next two are gated off and never run
  placement_score,
  pod_group_post_filter,
  multi_point,  // configurations only: all of the above
};
inline constexpr std::size_t kPoints = static_cast<std::size_t>(Point::multi_point);

}  // namespace podium::framework
