// carry_out(): one binding, from the answer to its first request until it is known what became of it.
//
// A request that was sent and has no answer is in doubt: the API server may carry it out at any time, so
// that the pod has to keep its room. Then the same is asked again, the same UID and the same node, which is
// safe since a UID is bound once, until one answer tells: it is bound, or the pod is read after a refusal
// and is on a node, gone, or on its way out. A refusal of the pod that is still pending says nothing about
// the request in doubt, which may be on another API server; it counts when kLongestDoubt has passed, well
// over the minute that an API server gives a request.
//
//   sent ─▶ bound                                            answered: 2xx
//        ─▶ elsewhere                                        the pod is gone, replaced, or on another node
//        ─▶ rejected                                         refused, and nothing is in doubt
//        ─▶ not_sent                                         no right to write, and nothing is in doubt
//        ─▶ in doubt ─(again, after a pause)─▶ the above     no answer
//                    └─▶ unknown                             no right to ask again
//
// Between two requests are growing pauses, up to half a minute. A refusal, and a doubt that lasts, are logged
// once a minute for each cause.
//
// Threads: the coroutine's. Errors: in the outcome.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "base/log_limit.h"
#include "client/api.h"
#include "scheduler/cycle/seams.h"

namespace podium::cycle {

constexpr std::chrono::minutes kLongestDoubt{5};

struct BindingRequest {
  cluster::PodInfoPtr pod;
  std::string node;
  // Asks for it. Error::maybe_applied says that it may be carried out all the same.
  std::function<client::Task<Result<void>>()> send;
  std::function<void()> in_doubt;  // called at most once: the outcome may take long
};

// `sent` is what the first request came to. The outcome's error is that of the refusal.
client::Task<BindOutcome> carry_out(client::Api& api, BindingRequest request, Result<void> sent,
                                    LogLimit& log);

}  // namespace podium::cycle
