// The limits of a question: for the code that reads one, and for flags, tools and routes that write one.
//
// Threads: constants and pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace podium::explain {

inline constexpr std::size_t kTemplateBytes = 64 * 1024;  // of spec.template, and of the rest of the spec
inline constexpr std::size_t kSearchBytes = 256 * 1024;  // of spec.search, which may have a cloud's catalogue
inline constexpr std::size_t kTemplateDepth = 64;        // a pod has about 15
inline constexpr std::size_t kObjectBytes = 1024 * 1024;  // of a report or of a pod, with its metadata
inline constexpr std::int64_t kMostReplicas = 10'000;
inline constexpr std::int64_t kLeastRefresh = 10, kMostRefresh = 86'400;  // seconds
inline constexpr std::size_t kMostNodesAsked = 16, kMostStrategies = 32;

inline constexpr std::size_t kMostChanges = 96;
inline constexpr std::int64_t kMostNewNodes = 1000;   // of one change
inline constexpr std::int64_t kMostNewPods = 10'000;  // of one change
inline constexpr std::size_t kMostNewClaims = 32;     // of one change
inline constexpr std::size_t kMostNewObjects = 32;    // of one change
inline constexpr std::size_t kMostDrainedNodes = 64;  // of one change
// Whether AddObjects takes objects of this kind: those that no other change adds and that stay what they are
// on a fork.
bool can_be_added(std::string_view api_version, std::string_view kind);

}  // namespace podium::explain
