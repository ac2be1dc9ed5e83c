// ApiBinder: binds pods through the API server, and when in doubt asks again rather than guesses.
//
// The Binding carries the pod's UID, so a pod that was made anew under the same name is never bound by
// mistake, and the API server binds a UID once. What becomes of a request, see binding_request.h.
//
// A binding goes out at once while few are under way; of a backlog each of some connections takes several at
// a time, which costs a fraction of the system calls and wake-ups. They share a deadline, and the API server
// carries out what it has read of them though the connection is closed. So none are sent together unless the
// last answer has come quickly. What comes back undone or in doubt is settled on its own, and holds no
// connection meanwhile.
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
#include "base/log_limit.h"
#include "client/api.h"
#include "client/precedence.h"
#include "scheduler/cycle/seams.h"

namespace podium::cycle {

class ApiBinder final : public Binder {
 public:
  using Ended = std::function<void(const std::string& uid, const BindOutcome&)>;
  using InDoubt = std::function<void(const std::string& uid)>;

  // `precedence` is told of each binding for as long as it is under way and not in doubt.
  ApiBinder(client::Api& api, client::Precedence& precedence, async::Gate& gate,
            boost::asio::any_io_executor io, boost::asio::any_io_executor strand, Ended ended,
            InDoubt in_doubt);
  void bind(cluster::PodInfoPtr pod, std::string node) override;

 private:
  struct Order {
    cluster::PodInfoPtr pod;
    std::string node;
  };
  static client::Task<void> run(ApiBinder* self);  // one lane: until nothing waits
  static client::Task<void> together(ApiBinder* self, std::vector<Order> orders);
  static client::Task<void> alone(ApiBinder* self, Order order);
  // `mend`: nobody has tried yet what another try can mend.
  static client::Task<void> settle(ApiBinder* self, Order order, Error error, bool mend);
  std::vector<Order> take();
  void answered(std::chrono::nanoseconds each);
  void settle_apart(Order order, Error error, bool mend);
  void give_up(std::vector<Order> orders);
  void tell_bound(std::vector<std::string> uids);
  void tell(const Order& order, BindOutcome outcome);

  client::Api& api_;
  client::Precedence& precedence_;
  async::Gate& gate_;
  const boost::asio::any_io_executor io_, strand_;
  const Ended ended_;
  const InDoubt in_doubt_;
  LogLimit log_;

  std::mutex mutex_;  // guards these
  std::deque<Order> waiting_;
  std::size_t lanes_ = 0;
  bool quick_ = false;  // the last answer has come within kQuick
};

}  // namespace podium::cycle
