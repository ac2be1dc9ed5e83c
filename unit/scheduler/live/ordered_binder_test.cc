// OrderedBinder: the order of a pod's status writes and its binding, as an API server gets them.
#include "scheduler/live/ordered_binder.h"

#include <gtest/gtest.h>

#include <boost/asio/strand.hpp>
#include <condition_variable>
#include <mutex>

#include "base/clock.h"
#include "base/random.h"
#include "unit/client/client_loop.h"
#include "unit/support/builders.h"
#include "unit/support/http_script.h"

namespace podium::live {
namespace {

using podium::test::pod;

cluster::PodInfoPtr info(const std::string& name) {
  return cluster::make_pod_info(std::make_shared<const api::Pod>(api::Pod(pod(name))));
}

// Writes down the bindings.
class InnerBinder final : public cycle::Binder {
 public:
  void bind(cluster::PodInfoPtr pod, std::string node) override {
    const std::lock_guard lock(mutex_);
    bound_.push_back((*pod)->meta.name + " on " + node);
    changed_.notify_all();
  }
  void read(cluster::PodInfoPtr pod) override { bind(std::move(pod), "read"); }

  std::vector<std::string> bound() const {
    const std::lock_guard lock(mutex_);
    return bound_;
  }
  void await(std::size_t n) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return bound_.size() >= n; });
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> bound_;
};

class OrderedBinderTest : public testing::Test {
 protected:
  OrderedBinderTest() {
    server_.always([this](unit::HttpExchange& exchange) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return !held_; });
      exchange.reply(200, R"({"metadata":{"resourceVersion":"7"}})");
    });
  }
  ~OrderedBinderTest() override {
    release();
    gate_.cancel();
    transport_->close();
    loop_.finish();
  }
  void release() {
    const std::lock_guard lock(mutex_);
    held_ = false;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool held_ = true;
  unit::HttpScript server_;
  InnerBinder inner_;
  client::ClientLoop loop_;
  client::ScopedTransport transport_{loop_, client::config_for(server_.url())};
  client::Api api_{transport_.shared(), system_clock(), system_random()};
  async::Gate gate_;
  PodStatusWriter statuses_{api_, gate_, loop_.executor()};
  OrderedBinder binder_{inner_, statuses_, boost::asio::make_strand(loop_.executor())};
};

TEST_F(OrderedBinderTest, NoStatusWriteFollowsTheBinding) {
  statuses_.not_scheduled(*info("late"), "Unschedulable", "no node fits");
  ASSERT_EQ(server_.wait_requests(1), 1u);
  binder_.bind(info("late"), "n1");
  binder_.bind(info("other"), "n2");
  binder_.read(info("other"));
  EXPECT_EQ(inner_.bound(), (std::vector<std::string>{"other on n2", "other on read"}));
  release();
  inner_.await(3);
  EXPECT_EQ(inner_.bound().back(), "late on n1");
  EXPECT_EQ(server_.requests().size(), 1u);
}

}  // namespace
}  // namespace podium::live
