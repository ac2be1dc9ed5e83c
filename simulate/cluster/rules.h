// Rules: the constraints between pods that lives have, in the few forms that they have, checked one by one.
//
// A rule selects pods of its own namespace by their label "app", and names a topology key: required affinity,
// required anti-affinity, or a topology spread constraint with DoNotSchedule. Nodes have both keys.
// Threads: pure functions. Errors: none; a broken rule is text.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "simulate/base/object_fields.h"

namespace podium::api {
struct Pod;
}

namespace podium::simulate {

struct Rule {
  enum class Kind : std::uint8_t { affinity, anti_affinity, spread };
  Kind kind = Kind::affinity;
  std::string app, key;  // of the selected pods; of the topology
  std::int64_t max_skew = 1;
};

// A pod and what others' rules read of it.
struct Neighbour {
  std::string uid, name, ns, app, node, zone_wanted;
  std::int64_t priority = 0;
  bool leaves = false;
  std::vector<Rule> rules;
};

Neighbour neighbour_of(const json::value& pod);
Neighbour neighbour_of(const api::Pod& pod);

// The nodes by name, with the value of each topology key.
using Topology = std::map<std::string, std::map<std::string, std::string>>;

// The rules that `pod` breaks on `node`, and those that the others there have against it, in words.
// `others` have a node, and do not include the pod.
std::set<std::string> broken_rules(const Neighbour& pod, const std::string& node,
                                   const std::vector<Neighbour>& others, const Topology& topology);

// True if one of both has a required anti-affinity term against the other, and they share its domain.
bool repel(const Neighbour& one, const std::string& node_of_one, const Neighbour& other,
           const std::string& node_of_other, const Topology& topology);

}  // namespace podium::simulate
