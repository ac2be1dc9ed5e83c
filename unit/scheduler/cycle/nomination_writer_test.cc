#include "scheduler/cycle/nomination_writer.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <condition_variable>
#include <mutex>

#include "unit/client/client_loop.h"
#include "unit/support/builders.h"
#include "unit/support/http_script.h"

namespace podium::cycle {
namespace {

using Lines = std::vector<std::string>;

// Holds the first request back until released, so that what comes after has to wait.
class NominationWriterTest : public testing::Test {
 protected:
  NominationWriterTest() {
    server_.always([this](unit::HttpExchange& exchange) {
      std::unique_lock lock(mutex_);
      ++arrived_;
      changed_.notify_all();
      changed_.wait(lock, [&] { return released_; });
      exchange.reply(200, "{}");
    });
  }
  ~NominationWriterTest() override {
    release();
    transport_->close();
    loop_.finish();
  }

  void nominate(const std::string& name, std::string node) {
    writer_.nominate(*cluster::make_pod_info(test::pod(name).ns("shop").ptr()), std::move(node));
  }
  void await(int requests) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return arrived_ >= requests; });
  }
  void release() {
    const std::lock_guard lock(mutex_);
    released_ = true;
    changed_.notify_all();
  }
  Lines sent() const {
    Lines out;
    for (const auto& request : server_.requests()) {
      out.push_back(request.method + " " + request.target.substr(0, request.target.find('?')) + " " +
                    request.body);
    }
    return out;
  }
  static std::string patch(const std::string& name, const std::string& node) {
    return "PATCH /api/v1/namespaces/shop/pods/" + name + "/status " + R"({"metadata":{"uid":"uid-shop-)" +
           name + R"("},"status":{"nominatedNodeName":)" + node + "}}";
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  int arrived_ = 0;
  bool released_ = false;
  unit::HttpScript server_;
  client::ClientLoop loop_;
  client::ScopedTransport transport_{loop_, client::config_for(server_.url())};
  client::Api api_{transport_.shared(), system_clock(), system_random()};
  NominationWriter writer_{api_, loop_.executor()};
};

TEST_F(NominationWriterTest, WritesInOrderAndOnlyWhatStillCounts) {
  nominate("a", "n1");
  await(1);
  nominate("b", "n1");
  nominate("c", "n1");
  nominate("a", "");    // its nomination is under way: after it
  nominate("b", "n2");  // the newest counts
  writer_.forget("uid-shop-c");
  release();
  await(3);
  EXPECT_EQ(sent(), (Lines{patch("a", R"("n1")"), patch("b", R"("n2")"), patch("a", "null")}));
}

}  // namespace
}  // namespace podium::cycle
