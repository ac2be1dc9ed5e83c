// FailedKinds: the kinds of waiting pods that no node took, and which of them a placed pod may help.
//
// A placed pod takes room, so it helps few others: those with a required affinity to it, those whose spread
// constraints count it, and those that share its claims. The hints of the plugins that rejected a pod say
// whether a placed pod can matter at all; labels then find the pods that one concerns. So a chain of pods
// that need each other costs a try for each link.
//
// Owner: one placing of pods on one fork; the waiters and the fork outlive it. Threads: none. Errors: none.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text_hash.h"
#include "explain/answer/waiting.h"
#include "scheduler/framework/decision.h"
#include "scheduler/plugins/shared/selector_match.h"

namespace podium::explain {

class FailedKinds {
 public:
  explicit FailedKinds(std::size_t kinds) : failures_(kinds) {}

  // The pod represents its kind. Its decision has no choice, or Reserve refused the chosen node.
  void add(const Waiter& waiter, const framework::Decision& decision);
  // Removes the kinds that may fit now that this pod is placed, and returns each once.
  std::vector<std::size_t> take_helped(const api::Pod& placed, const cluster::Snapshot& fork);

 private:
  struct Failure {
    const api::Pod* pod = nullptr;  // null: the kind is not here
    std::uint32_t number = 0;       // another one for each add()
    bool by_affinity = false, by_spread = false;
    std::optional<std::vector<plugins::IncomingTerm>> terms = {};  // once they are asked for
  };
  struct Filed {
    std::size_t kind;
    std::uint32_t number;
  };
  using List = std::vector<Filed>;

  bool listens(const framework::Profile& profile, const std::string& plugin);
  void file(const std::optional<api::LabelSelector>& selector, const Filed& filed);
  bool is_here(const Filed& filed) const;
  bool is_selected(const api::Pod& placed, const cluster::Snapshot& fork, Failure& failure) const;
  void take(const Filed& filed, std::vector<std::size_t>& out);
  void take_all(List& list, std::vector<std::size_t>& out);
  void take_selected(List& list, const api::Pod& placed, const cluster::Snapshot& fork,
                     std::vector<std::size_t>& out);

  std::vector<Failure> failures_;  // by kind
  // Lists keep entries of kinds that were taken from another one, until they are read.
  List any_, with_claims_;  // helped by each pod, and by each with claims
  boost::unordered_flat_map<std::pair<std::string_view, std::string_view>, List, TextPairHash> by_label_;
  List by_no_label_;  // their selectors require no value of a label
  std::map<std::pair<const framework::Profile*, std::string>, bool> listens_;
};

}  // namespace podium::explain
