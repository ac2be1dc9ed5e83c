// What podium says where it is asked to count the pods of a DaemonSet.
#pragma once

namespace podium::explain {

inline constexpr const char* kOnePodOnEachNode = "a DaemonSet has one pod on each node that it selects";

}  // namespace podium::explain
