// carry_out(): follows one binding from the answer to its first request until its result is known.
//
// A request that was sent and has no answer is in doubt: the API server may execute it at any time,
// so the pod keeps its assumed capacity. The same binding (same UID, same node) is then requested
// again, which is safe because a UID is bound at most once. A refusal is also in doubt while the pod cannot
// be read: a proxy may have sent the binding twice, and the refusal may be of the second request.
// This ends when a request succeeds, or when the pod, read after a refusal, is on a node, terminating or
// gone. If the pod is still pending, a refusal proves nothing about the request in doubt, which may sit in
// another API server. The refusal counts only after kLongestDoubt (doubt.h).
//
//   sent ─▶ bound                                           2xx
//        ─▶ elsewhere                                       the pod is gone, replaced, or on another node
//        ─▶ rejected                                        refused, and nothing is in doubt
//        ─▶ not_sent                                        no right to write, and nothing is in doubt
//        ─▶ in doubt ─(retry after a pause)─▶ the above     no answer; refused, and the pod cannot be read
//                    └─▶ unknown                            no longer allowed to write
//
// Pauses between requests double, up to 30 s. Refusals and long doubts are logged once a
// minute per cause.
//
// read_pod(): reads a pod, to learn the result of its binding.
//
// Threads: the calling coroutine's executor. Errors: in the BindOutcome.
#pragma once

#include <functional>
#include <string>

#include "client/api.h"
#include "log/limit.h"
#include "scheduler/cycle/seams.h"

namespace podium::live {

// Reads the current state of the pod by its name.
client::Task<cycle::PodRead> read_pod(client::Api& api, cluster::PodInfoPtr pod);

struct BindingRequest {
  cluster::PodInfoPtr pod;
  std::string node;
  // Sends the binding. Error::maybe_applied: the API server may have executed it, or may still do so.
  std::function<client::Task<Result<void>>()> send;
  std::function<void()> in_doubt;  // called at most once, when the result becomes uncertain; may be empty
};

// `sent` is the result of the first request. The outcome's error is the refusal's message.
client::Task<cycle::BindOutcome> carry_out(client::Api& api, BindingRequest request, Result<void> sent,
                                           LogLimit& log);

}  // namespace podium::live
