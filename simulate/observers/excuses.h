// Excuses: violations that no scheduler can avoid, with their reasons. They are counted, and bounded.
//
// Threads: values. Errors: none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace podium::simulate {

enum class Excuse : std::uint8_t {
  // The lease of an engine was deleted by hand: it learns of it when it renews it, and makes it again if
  // no process has it then. It does not know what another engine wrote in between.
  lease_deleted,
  // A binding of the previous leader that the next one has not seen: it was in flight at the takeover, or a
  // watch of the next one was already silent. A binding in doubt is sent again as it was decided then.
  takeover,
  // A watch has lost an event: the engine does not know of that pod before the next list.
  lost_event,
  // A pod that was nominated to a node was bound to another one. kube-scheduler wakes none of the pods that
  // the nomination kept out (kubernetes#134859): they wait for an event, or for its flush of five minutes.
  // podium does the same, so that both do the same at each step.
  nomination,
  // A pod keeps a nomination that the leader did not know of when it decided on the pod: its write took
  // effect late, or was of the previous leader. kube-scheduler also leaves it until the pod is tried again.
  // Or a claim of the pod is deleted, so that the pod is not tried.
  stale_nomination,
  // A pod would have to evict others, and cannot use its claim where that is allocated. kube-scheduler's
  // PostFilter deallocates the claims that the filter of devices has found, and it finds this one on no node:
  // an earlier filter rejects the pod, or another claim cannot be allocated.
  kept_claim,
  count,
};
inline constexpr std::array<std::string_view, static_cast<std::size_t>(Excuse::count)> kExcuses{
    "lease deleted by hand",
    "binding not seen at a takeover",
    "lost event",
    "nomination given up by a binding elsewhere",
    "nomination that the leader did not know",
    "claim that no filter of devices met"};
inline constexpr auto kExcuseCount = static_cast<std::size_t>(Excuse::count);
// Bounds per thousand lives: several times the observed number, so that a bug behind an excuse shows.
inline constexpr std::array<std::uint64_t, kExcuseCount> kMostExcused{150, 15, 5, 5, 25, 10};
using Excuses = std::array<std::uint64_t, kExcuseCount>;

// The excuses of several lives.
struct Excused {
  std::uint64_t lives = 0;
  Excuses times{}, in_lives{};  // in_lives: the lives that have one or more

  void add(const Excuses& of_a_life);
  Excused& operator+=(const Excused& other);
  std::string text() const;
  // A line for each excuse that exceeds its bound; empty: none.
  std::string too_often() const;
};

// The bound of an excuse in a thousand lives or more: of its number, in proportion. Fewer lives leave it to
// chance in which of them the excuses are, and one life may have ten: an event that a watch has lost may
// excuse each binding to a node. So it is the bound of the number of lives that have it: at most as many as
// one in 10,000 such draws exceeds, if a life has the excuse as often as a thousand may, and at most as many
// as a thousand may.
std::uint64_t most_excused(Excuse excuse, std::uint64_t lives);

}  // namespace podium::simulate
