// ApiBinder: binds pods through the API server. A request without an answer is retried until its
// result is known (binding_request.h).
//
// The Binding carries the pod's UID: a pod recreated under the same name is never bound by mistake,
// and the API server binds a UID at most once.
//
// Up to kLanes coroutines ("lanes") send bindings. With a short queue each binding is one request.
// With a backlog a lane pipelines a batch on one connection, which saves system calls and wake-ups. A
// batch shares one deadline, and the API server executes the requests it has read even if the
// connection closes. So lanes batch only while replies are fast. Failed and unanswered requests leave
// the batch and are settled one by one without holding a connection.
//
// Owner: the Engine; `gate` is empty before this is destroyed.
// Threads: bind() and read() from the strand; requests run on `io`; outcomes are posted to the strand.
// Errors: in the BindOutcome.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "async/gate.h"
#include "client/api.h"
#include "client/precedence.h"
#include "log/limit.h"
#include "scheduler/cycle/seams.h"
#include "scheduler/live/binding_health.h"

namespace podium::live {

class ApiBinder final : public cycle::Binder {
 public:
  using Ended = std::function<void(const std::string& uid, const cycle::BindOutcome&)>;
  using InDoubt = std::function<void(const std::string& uid)>;
  using Read = std::function<void(const std::string& uid, const cycle::PodRead& read)>;

  // Each binding enters `precedence` until it ends or is in doubt, so that other writers yield to it.
  ApiBinder(client::Api& api, client::Precedence& precedence, async::Gate& gate,
            boost::asio::any_io_executor io, boost::asio::any_io_executor strand, Ended ended,
            InDoubt in_doubt, Read read);
  void bind(cluster::PodInfoPtr pod, std::string node) override;
  void read(cluster::PodInfoPtr pod) override;
  // Any thread. The reason why no pod can be bound; nullopt: bindings succeed, or none was refused lately
  // (BindingHealth::kForget).
  std::optional<std::string> why_unhealthy() const { return health_.why_unhealthy(api_.clock().now()); }

 private:
  struct Order {
    cluster::PodInfoPtr pod;
    std::string node;
  };
  static client::Task<void> run(ApiBinder* self);  // one lane; ends when the queue is empty
  static client::Task<void> send_batch(ApiBinder* self, std::vector<Order> orders);
  static client::Task<void> send_one(ApiBinder* self, Order order);
  // `may_retry`: the request was sent without the client's retries (in a batch), so settle()
  // may retry it.
  static client::Task<void> settle(ApiBinder* self, Order order, Error error, bool may_retry);
  static client::Task<void> read_one(ApiBinder* self, cluster::PodInfoPtr pod);
  std::vector<Order> take_batch();
  void observe_latency(std::chrono::nanoseconds each);
  void spawn_settle(Order order, Error error, bool may_retry);
  void give_up(std::vector<Order> orders);
  void post_bound(std::vector<std::string> uids);
  void post_outcome(const Order& order, cycle::BindOutcome outcome);
  void post_read(const std::string& uid, cycle::PodRead read);

  client::Api& api_;
  client::Precedence& precedence_;
  async::Gate& gate_;
  const boost::asio::any_io_executor io_, strand_;
  const Ended ended_;
  const InDoubt in_doubt_;
  const Read read_;
  LogLimit log_;
  BindingHealth health_;

  std::mutex mutex_;  // guards the members below
  std::deque<Order> waiting_;
  std::size_t lanes_ = 0;
  bool fast_replies_ = false;  // the last reply took less than kFastReply
};

}  // namespace podium::live
