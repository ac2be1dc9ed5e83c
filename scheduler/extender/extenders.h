// Extenders: all HTTP extenders of a configuration, and the decision on pods that they apply to.
//
// Filter verbs are called one extender after the other, each with the nodes that remain. Prioritize verbs are
// called concurrently. If no node remains, preempt verbs are called one after the other with the preemption
// candidates. Extenders that are not ignorable come first. Order, requests and failure handling equal
// upstream's, except for a nominated node: upstream first sends it alone, podium sends it with all others.
//
// Threads: immutable except for texts(), which is thread-safe; decide() runs on any one executor.
// Errors: decide() puts failures into the Decision.
// Source: pkg/scheduler/schedule_one.go findNodesThatPassExtenders,
// prioritizeNodes; scheduler.go buildExtenders.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <memory>
#include <vector>

#include "async/gate.h"
#include "scheduler/cluster/pod_info.h"
#include "scheduler/extender/http_extender.h"
#include "scheduler/extender/object_texts.h"

namespace podium::cluster {
class Snapshot;
}
namespace podium::framework {
struct Decision;
struct Profile;
}  // namespace podium::framework

namespace podium::extender {

class Extenders {
 public:
  using MakeTransport = std::function<std::shared_ptr<client::Transport>(client::ClientConfig)>;

  // Kind::invalid if an entry's URL or TLS settings are invalid; see client_config().
  static Result<std::unique_ptr<Extenders>> make(const std::vector<config::Extender>& configs,
                                                 const MakeTransport& make_transport);

  // True if an extender filters, prioritizes or preempts for this pod.
  bool applies_to(const api::Pod& pod) const;
  // The extender that binds this pod; null: none.
  const HttpExtender* binder(const api::Pod& pod) const;
  ObjectTexts& texts() { return texts_; }
  const ObjectTexts& texts() const { return texts_; }
  void close();  // cancels the requests in flight

  const std::vector<std::unique_ptr<HttpExtender>>& all() const { return extenders_; }

 private:
  Extenders(std::vector<std::unique_ptr<HttpExtender>> extenders, ObjectTexts::Wanted wanted)
      : extenders_(std::move(extenders)), texts_(wanted) {}

  const std::vector<std::unique_ptr<HttpExtender>> extenders_;  // in the order of the calls
  ObjectTexts texts_;
};

// evaluate() with the extenders' replies. `pod_text` is the pod's JSON; null: the pod no longer exists.
// `extenders`, `gate` and `profile` must outlive the task. Concurrent requests run in the gate.
client::Task<framework::Decision> decide(const Extenders& extenders, async::Gate& gate,
                                         cluster::PodInfoPtr pod, Text pod_text, cluster::Snapshot snapshot,
                                         const framework::Profile& profile, std::size_t start = 0);

}  // namespace podium::extender
