// What this program is, and which kube-scheduler it answers like.
#pragma once

#include <string_view>

namespace podium {

inline constexpr std::string_view kVersion = "0.1.0";
// The release whose verdicts and scores podium's are compared with. It agrees with the k8s.io/kubernetes
// requirement in e2e/oracle/go.mod.
inline constexpr std::string_view kKubernetesVersion = "v1.36.3";

}  // namespace podium
