// ApiBinder: binds pods through the API server, and when in doubt looks rather than guesses.
//
// The Binding carries the pod's UID, so a pod that was made anew under the same name is never bound by
// mistake, and the API server binds a UID once. After a conflict or a lost reply the pod itself is read: it
// is on our node (bound), on another or gone (elsewhere), or still pending (rejected). It is asked until the
// API server answers; the assumption stands as long.
//
// A binding goes out at once while few are under way; of a backlog each of some connections takes several at
// a time, which costs a fraction of the system calls and wake-ups. What comes back in doubt or undone is then
// settled on its own.
// Threads: bind() from the strand; the requests run on `io`; the outcome is posted to the strand.
// Errors: in the outcome.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "async/gate.h"
#include "client/api.h"
#include "client/precedence.h"
#include "scheduler/cycle/seams.h"

namespace podium::cycle {

class ApiBinder final : public Binder {
 public:
  using Ended = std::function<void(const std::string& uid, const BindOutcome&)>;

  // `precedence` is told of each binding for as long as it is under way.
  ApiBinder(client::Api& api, client::Precedence& precedence, async::Gate& gate,
            boost::asio::any_io_executor io, boost::asio::any_io_executor strand, Ended ended);
  void bind(cluster::PodInfoPtr pod, std::string node) override;

 private:
  struct Order {
    cluster::PodInfoPtr pod;
    std::string node;
  };
  struct Done {
    std::string uid;
    BindOutcome outcome;
  };
  static client::Task<void> run(ApiBinder* self);  // one lane: until nothing waits
  static client::Task<void> together(ApiBinder* self, std::vector<Order> orders);
  static client::Task<void> alone(ApiBinder* self, Order order);
  static client::Task<void> settle(ApiBinder* self, Order order, Error error);
  std::vector<Order> take();
  void tell(std::vector<Done> done);
  void tell_one(const Order& order, BindOutcome outcome);

  client::Api& api_;
  client::Precedence& precedence_;
  async::Gate& gate_;
  boost::asio::any_io_executor io_, strand_;
  Ended ended_;

  std::mutex mutex_;  // guards these
  std::deque<Order> waiting_;
  std::size_t lanes_ = 0;
};

// What became of a binding that is in doubt: asks for the pod until the API server answers. `doubt` is the
// error if it is still pending.
client::Task<BindOutcome> look_at_binding(client::Api& api, cluster::PodInfoPtr pod, std::string node,
                                          std::string doubt);

// One binding from request to outcome; exposed for tests against a scripted server.
client::Task<BindOutcome> bind_pod(client::Api& api, cluster::PodInfoPtr pod, std::string node);

}  // namespace podium::cycle
