// The taints that describe a node's state.
//
// Threads: pure functions. Errors: none.
#pragma once

namespace podium::api {
struct Pod;
struct Taint;
}  // namespace podium::api

namespace podium::explain {

// Whether the taint describes the node's state now, which a new node of its kind does not have. Controllers,
// cloud providers and autoscalers add such taints and remove them.
bool is_of_state(const api::Taint&);

// Whether the pod would not run on a node with this taint even if it tolerated the taint: the kubelet does
// not answer or refuses pods, or the node is about to go.
bool keeps_pods_from_running(const api::Taint&, const api::Pod&);

}  // namespace podium::explain
