// The answer to a question that counts the pods of a DaemonSet.
#pragma once

namespace podium::explain {

inline constexpr const char* kOnePodOnEachNode = "a DaemonSet has one pod on each node that it selects";

}  // namespace podium::explain
