// Node labels that name the location of a node. Threads: constants.
#pragma once

#include <string_view>

namespace podium::api::label {

inline constexpr std::string_view hostname = "kubernetes.io/hostname";
inline constexpr std::string_view zone = "topology.kubernetes.io/zone";
inline constexpr std::string_view region = "topology.kubernetes.io/region";

}  // namespace podium::api::label
