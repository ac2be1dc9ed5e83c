// VirtualWaits: the waits that follow one VirtualTime, in the order of their expiry.
//
// It does on virtual time what Asio's timers do on the steady clock: a wait keeps its io_context from running
// out of work, ends by a post to its handler's executor, and is destroyed with its context. Waits of one
// expiry end in the order in which they began, so that a run can be repeated.
//
// Owner: a VirtualTime and the Timers that follow it. Threads: one. Errors: a cancelled wait ends with
// operation_aborted.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/system/error_code.hpp>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/clock.h"

namespace podium::async {

class VirtualWaits : public std::enable_shared_from_this<VirtualWaits> {
 public:
  // Identifies a wait. The Id of an ended wait is not used again.
  struct Id {
    Steady expiry{};
    std::uint64_t number = 0;
    auto operator<=>(const Id&) const = default;
  };

  class Wait {
   public:
    explicit Wait(boost::asio::execution_context& context) : context(context) {}
    virtual ~Wait() = default;
    virtual void end(boost::system::error_code error) = 0;  // posts the handler

    boost::asio::execution_context& context;
  };

  explicit VirtualWaits(Steady now) : now_(now) {}

  Steady now() const { return now_; }
  Steady next() const { return waits_.empty() ? Steady::max() : waits_.begin()->first.expiry; }
  void move_to(Steady now);  // ends the waits that are due then

  Id begin(Steady expiry, std::unique_ptr<Wait> wait);
  void cancel(Id id);  // ends the wait, unless it has ended
  // Destroys the waits of a context that is shutting down.
  void drop(const boost::asio::execution_context& context);

 private:
  std::unique_ptr<Wait> take(Id id);

  Steady now_;
  std::uint64_t numbers_ = 0;
  std::map<Id, std::unique_ptr<Wait>> waits_;
};

// The part of a Timer that follows a VirtualTime.
class VirtualTimer {
 public:
  VirtualTimer(std::shared_ptr<VirtualWaits> waits, boost::asio::any_io_executor executor)
      : executor_(std::move(executor)), waits_(std::move(waits)) {}
  ~VirtualTimer() { cancel(); }
  VirtualTimer(const VirtualTimer&) = delete;

  const boost::asio::any_io_executor& get_executor() const { return executor_; }
  Steady expiry() const { return expiry_; }
  void expires_at(Steady expiry);
  void expires_after(Steady::duration wait);
  void cancel();

  template <typename Handler>
  void wait(Handler handler) {
    auto slot = boost::asio::get_associated_cancellation_slot(handler);
    begin(std::make_unique<WaitOf<Handler>>(std::move(handler), executor_));
    if (slot.is_connected()) slot.template emplace<Cancel>(waits_, begun_.back());
  }

 private:
  template <typename Handler>
  struct Completion {
    Handler handler;
    boost::system::error_code error;
    void operator()() { std::move(handler)(error); }
  };

  template <typename Handler>
  class WaitOf final : public VirtualWaits::Wait {
   public:
    WaitOf(Handler handler, const boost::asio::any_io_executor& executor)
        : Wait(boost::asio::query(executor, boost::asio::execution::context)),
          handler_(std::move(handler)),
          work_(boost::asio::prefer(executor, boost::asio::execution::outstanding_work.tracked)) {}
    void end(boost::system::error_code error) override {
      const auto executor = boost::asio::get_associated_executor(handler_, work_);
      boost::asio::post(executor, Completion<Handler>{std::move(handler_), error});
    }

   private:
    Handler handler_;
    const boost::asio::any_io_executor work_;
  };

  // Ends a wait whose coroutine is cancelled.
  struct Cancel {
    Cancel(std::weak_ptr<VirtualWaits> waits, VirtualWaits::Id id) : waits(std::move(waits)), id(id) {}
    void operator()(boost::asio::cancellation_type_t type) const {
      const auto there = waits.lock();
      if (there && type != boost::asio::cancellation_type::none) there->cancel(id);
    }
    const std::weak_ptr<VirtualWaits> waits;
    const VirtualWaits::Id id;
  };

  void begin(std::unique_ptr<VirtualWaits::Wait> wait);

  const boost::asio::any_io_executor executor_;
  const std::shared_ptr<VirtualWaits> waits_;
  Steady expiry_{};
  std::vector<VirtualWaits::Id> begun_;  // since the expiry was set; some may have ended
};

}  // namespace podium::async
