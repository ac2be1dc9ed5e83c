// The version of podium, and the version of kube-scheduler that it matches.
#pragma once

#include <string_view>

namespace podium {

inline constexpr std::string_view kVersion = "0.1.0";
// The release that podium's verdicts and scores are compared with; also required by e2e/oracle/go.mod.
inline constexpr std::string_view kKubernetesVersion = "v1.37.2";

}  // namespace podium
