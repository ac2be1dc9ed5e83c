// The taints that describe a node's state, and what they mean.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <string_view>

namespace podium::api {
struct Taint;
}

namespace podium::explain {

// What the taint says of the node now: "the node is not ready". Controllers, cloud providers and autoscalers
// add such taints and remove them, a new node of the same kind does not have them, and a pod that tolerated
// one would often not run. So podium never proposes to tolerate one. Empty: the taint reserves the node for
// some pods.
std::string_view state_of_taint(std::string_view key);

bool is_of_state(const api::Taint&);

// The same for a taint as kubectl writes it: "node.kubernetes.io/not-ready:NoSchedule".
std::string_view state_of_taint_text(std::string_view taint);

}  // namespace podium::explain
