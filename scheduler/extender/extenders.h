// Extenders: all HTTP extenders of a configuration, and the decision on a pod that some of them have a say
// in.
//
// Filter verbs are asked one extender after the other, each about the nodes that are left; prioritize verbs
// at the same time; preempt verbs, where no node is left, one after the other about who has to go. Those that
// may not be ignored come first. The order, who is asked what, and what a failure comes to are upstream's,
// but for a nominated node: upstream asks about it alone first, here it is among the others.
//
// Threads: immutable but for the texts, which may be fed from any thread; decide() on any one executor.
// Errors: none; what fails is in the Decision.
// Source: pkg/scheduler/schedule_one.go findNodesThatPassExtenders, prioritizeNodes; scheduler.go
// buildExtenders.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <memory>
#include <vector>

#include "async/gate.h"
#include "scheduler/extender/http_extender.h"
#include "scheduler/extender/object_texts.h"

namespace podium::extender {

class Extenders {
 public:
  using MakeTransport = std::function<std::shared_ptr<client::Transport>(client::ClientConfig)>;

  // Kind::invalid where an entry's TLS settings make no sense.
  static Result<std::unique_ptr<Extenders>> make(const std::vector<config::Extender>& configs,
                                                 const MakeTransport& make_transport);

  // Whether a decision on this pod has to ask one of them.
  bool applies_to(const api::Pod& pod) const;
  // The one that binds this pod; null: none does.
  const HttpExtender* binder(const api::Pod& pod) const;
  ObjectTexts& texts() { return texts_; }
  const ObjectTexts& texts() const { return texts_; }
  void close();  // cancels what is under way

  const std::vector<std::unique_ptr<HttpExtender>>& all() const { return extenders_; }

 private:
  Extenders(std::vector<std::unique_ptr<HttpExtender>> extenders, ObjectTexts::Wanted wanted)
      : extenders_(std::move(extenders)), texts_(wanted) {}

  const std::vector<std::unique_ptr<HttpExtender>> extenders_;  // in the order in which they are asked
  ObjectTexts texts_;
};

// evaluate(), with the extenders' answers. `pod_text` is the pod's JSON; questions that are asked at the same
// time run in the gate.
client::Task<framework::Decision> decide(const Extenders& extenders, async::Gate& gate,
                                         framework::PodInfoPtr pod, Text pod_text,
                                         framework::Snapshot snapshot, const framework::Profile& profile,
                                         std::size_t start = 0);

}  // namespace podium::extender
