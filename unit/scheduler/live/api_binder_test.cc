// ApiBinder against a real HTTP server: single bindings and batches, and the outcome for every
// kind of reply.
#include "scheduler/live/api_binder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/json/parse.hpp>
#include <condition_variable>
#include <map>
#include <set>

#include "base/clock.h"
#include "base/random.h"
#include "unit/client/client_loop.h"
#include "unit/client/doubles.h"
#include "unit/support/builders.h"
#include "unit/support/http_script.h"

namespace podium::live {
namespace {

using namespace cycle;

using client::ClientLoop;
using unit::HttpExchange;

constexpr std::size_t kLanes = 16, kBacklog = 64;

// An API server that binds pods, with scripted replies per pod, and that can be paused.
class BindingServer {
 public:
  using Treatment = std::function<void(BindingServer&, HttpExchange&, const std::string& name, int attempt)>;

  BindingServer() {
    script_.always([this](HttpExchange& exchange) { serve(exchange); });
  }
  ~BindingServer() { release(); }

  std::string url() const { return script_.url(); }
  int connections() const { return script_.connections(); }
  void treat(const std::string& name, Treatment treatment) { treatments_[name] = std::move(treatment); }
  void treat_reads(const std::string& name, Treatment treatment) { reads_[name] = std::move(treatment); }
  void put_on(const std::string& name, const std::string& node) {
    const std::lock_guard lock(mutex_);
    bound_[name] = node;
  }
  void hold() { held_ = true; }
  void release() {
    const std::lock_guard lock(mutex_);
    held_ = false;
    changed_.notify_all();
  }
  // Waits until this many requests have arrived while the server is paused.
  void wait_for(std::size_t requests) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return attempts_.size() >= requests; });
  }
  std::string node_of(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    const auto it = bound_.find(name);
    return it == bound_.end() ? "" : it->second;
  }
  int attempts(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    const auto it = attempts_.find(name);
    return it == attempts_.end() ? 0 : it->second;
  }
  // Binds as the API server does: the pod with this UID, once.
  void bind(HttpExchange& exchange, const std::string& name) {
    const auto body = boost::json::parse(exchange.request().body);
    EXPECT_EQ(body.at("metadata").at("uid").as_string(), "uid-" + name);
    put_on(name, std::string(body.at("target").at("name").as_string()));
    exchange.reply(201, R"({"kind":"Status","status":"Success"})");
  }
  static void refuse(HttpExchange& exchange, int code, const std::string& words,
                     const std::string& reason = "") {
    exchange.reply(
        code, fmt::format(R"({{"kind":"Status","status":"Failure","code":{},"message":"{}","reason":"{}"}})",
                          code, words, reason));
  }

 private:
  void serve(HttpExchange& exchange) {
    const auto& request = exchange.request();
    const std::string pods = "/api/v1/namespaces/default/pods/";
    std::string name = request.target.substr(pods.size());
    name = name.substr(0, name.find('/'));
    if (request.method == "GET") {
      if (const auto it = reads_.find(name); it != reads_.end()) return it->second(*this, exchange, name, 1);
      exchange.reply(200,
                     fmt::format(R"({{"metadata":{{"name":"{0}","namespace":"default","uid":"uid-{0}"}},)"
                                 R"("spec":{{"nodeName":"{1}","containers":[{{"name":"c"}}]}}}})",
                                 name, node_of(name)));
      return;
    }
    int attempt = 0;
    {
      std::unique_lock lock(mutex_);
      attempt = ++attempts_[name];
      changed_.notify_all();
      changed_.wait(lock, [this] { return !held_; });
    }
    const auto it = treatments_.find(name);
    if (it == treatments_.end()) return bind(exchange, name);
    it->second(*this, exchange, name, attempt);
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool held_ = false;
  std::map<std::string, Treatment> treatments_, reads_;
  std::map<std::string, std::string> bound_;
  std::map<std::string, int> attempts_;
  unit::HttpScript script_;
};

std::string words(const cycle::BindOutcome& outcome) {
  const char* ends[] = {"bound", "elsewhere", "rejected", "not sent", "unknown"};
  return std::string(ends[static_cast<int>(outcome.end)]) + (outcome.error.empty() ? "" : ": ") +
         outcome.error;
}

std::string words(const cycle::PodRead& read) {
  if (read.end == cycle::PodRead::End::gone) return "gone";
  if (!read.pod) return fmt::format("failed: {}", read.error ? read.error->status.code : 0);
  return fmt::format("{} on {}", (*read.pod)->meta.uid, (*read.pod)->node_name);
}

class ApiBinderTest : public testing::Test {
 protected:
  ~ApiBinderTest() override {
    server_.release();
    gate_.cancel();
    transport_->close();
    loop_.finish();
  }
  void bind(const std::string& name) {
    binder_.bind(cluster::make_pod_info(podium::test::pod(name).ptr()), "n");
    ++asked_;
  }
  // A backlog long enough for full batches, with these pods in its middle.
  void bind_in_a_backlog(const std::vector<std::string>& names) {
    server_.hold();
    for (std::size_t i = 0; i < kLanes + kBacklog; ++i) {
      bind(fmt::format("other-{}", i));
      if (i == kLanes + kBacklog / 2) {
        for (const auto& name : names) bind(name);
      }
    }
    server_.release();
  }
  // The outcomes by pod name, once all have ended.
  std::map<std::string, std::string> outcomes() {
    std::unique_lock lock(mutex_);
    const bool all =
        changed_.wait_for(lock, std::chrono::seconds(60), [this] { return outcomes_.size() >= asked_; });
    EXPECT_TRUE(all) << outcomes_.size() << " of " << asked_;
    return outcomes_;
  }

  BindingServer server_;
  ClientLoop loop_;
  std::atomic<bool> may_write_{true};
  client::ScopedTransport transport_{
      loop_, client::config_for(server_.url()), {}, [this] { return may_write_.load(); }};
  client::Api api_{transport_.shared(), system_clock(), system_random()};
  client::Precedence precedence_{system_clock()};
  std::size_t asked_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::string> outcomes_;
  std::set<std::string> doubted_;
  async::Gate gate_;
  ApiBinder binder_{api_,
                    precedence_,
                    gate_,
                    loop_.executor(),
                    loop_.executor(),
                    [this](const std::string& uid, const cycle::BindOutcome& outcome) {
                      const std::lock_guard lock(mutex_);
                      EXPECT_TRUE(outcomes_.emplace(uid.substr(4), words(outcome)).second)
                          << uid << " ended twice";
                      changed_.notify_all();
                    },
                    [this](const std::string& uid) {
                      const std::lock_guard lock(mutex_);
                      EXPECT_TRUE(doubted_.insert(uid.substr(4)).second) << uid << " in doubt twice";
                      EXPECT_FALSE(outcomes_.contains(uid.substr(4))) << uid << " in doubt after its end";
                    },
                    [this](const std::string& uid, const cycle::PodRead& read) {
                      const std::lock_guard lock(mutex_);
                      outcomes_.emplace(uid.substr(4), words(read));
                      changed_.notify_all();
                    }};
};

TEST_F(ApiBinderTest, BindsAPodByItsUid) {
  bind("web");
  EXPECT_EQ(outcomes(), (std::map<std::string, std::string>{{"web", "bound"}}));
  EXPECT_EQ(server_.node_of("web"), "n");
}

TEST_F(ApiBinderTest, ReadsAPodWhoseBindingNoWatchShows) {
  server_.put_on("bound", "n");
  server_.treat_reads("gone", [](auto&, auto& exchange, auto&, int) {
    BindingServer::refuse(exchange, 404, "not found", "NotFound");
  });
  server_.treat_reads("proxy",
                      [](auto&, auto& exchange, auto&, int) { exchange.reply(404, "no such page"); });
  server_.treat_reads("forbidden", [](auto&, auto& exchange, auto&, int) {
    BindingServer::refuse(exchange, 403, "no", "Forbidden");
  });
  server_.treat_reads("odd", [](auto&, auto& exchange, auto&, int) { exchange.reply(200, R"({"spec":7})"); });
  for (const auto* name : {"bound", "pending", "gone", "proxy", "forbidden", "odd"}) {
    binder_.read(cluster::make_pod_info(podium::test::pod(name).node("n").ptr()));
    ++asked_;
  }
  EXPECT_EQ(outcomes(), (std::map<std::string, std::string>{{"bound", "uid-bound on n"},
                                                            {"pending", "uid-pending on "},
                                                            {"gone", "gone"},
                                                            {"proxy", "failed: 404"},
                                                            {"forbidden", "failed: 403"},
                                                            {"odd", "failed: 0"}}));
}

TEST_F(ApiBinderTest, APodThatCannotBeReadEitherIsGone) {
  const auto gone = [](auto&, auto& exchange, auto&, int) {
    BindingServer::refuse(exchange, 404, "not found", "NotFound");
  };
  server_.treat("gone", gone);
  server_.treat_reads("gone", gone);
  bind("gone");
  EXPECT_EQ(outcomes(), (std::map<std::string, std::string>{{"gone", "elsewhere: the pod is gone"}}));
}

TEST_F(ApiBinderTest, ABacklogIsBoundOnceEachOverFewConnections) {
  bind_in_a_backlog({});
  for (const auto& [name, outcome] : outcomes()) {
    EXPECT_EQ(outcome, "bound") << name;
    EXPECT_EQ(server_.attempts(name), 1) << name;
  }
  EXPECT_LE(server_.connections(), static_cast<int>(kLanes));
}

struct AnswerCase {
  const char* name;
  BindingServer::Treatment treatment;
  const char* outcome;
  int attempts;
};

const AnswerCase kAnswers[] = {
    {"said-to-be-gone",
     [](auto&, auto& exchange, auto&, int) { BindingServer::refuse(exchange, 404, "not found", "NotFound"); },
     R"(rejected: binding rejected: running Bind plugin "DefaultBinder": POST )"
     "/api/v1/namespaces/default/pods/said-to-be-gone/binding: not found",
     1},
    {"proxy", [](auto&, auto& exchange, auto&, int) { exchange.reply(404, "404 page not found"); },
     R"(rejected: binding rejected: running Bind plugin "DefaultBinder": POST )"
     "/api/v1/namespaces/default/pods/proxy/binding: the server answered 404",
     1},
    {"taken",
     [](auto& server, auto& exchange, auto& name, int) {
       server.put_on(name, "other");
       BindingServer::refuse(exchange, 409, "already assigned");
     },
     "elsewhere: the pod was placed on other", 1},
    {"ours-already",
     [](auto& server, auto& exchange, auto& name, int) {
       server.put_on(name, "n");
       BindingServer::refuse(exchange, 409, "already assigned");
     },
     "bound", 1},
    {"forbidden", [](auto&, auto& exchange, auto&, int) { BindingServer::refuse(exchange, 403, "no"); },
     R"(rejected: binding rejected: running Bind plugin "DefaultBinder": POST )"
     "/api/v1/namespaces/default/pods/forbidden/binding: no",
     1},
    {"too-many",
     [](auto& server, auto& exchange, auto& name, int attempt) {
       if (attempt == 1) return BindingServer::refuse(exchange, 429, "later");
       server.bind(exchange, name);
     },
     "bound", 2},
    {"unavailable",
     [](auto& server, auto& exchange, auto& name, int attempt) {
       if (attempt <= 3) return BindingServer::refuse(exchange, 503, "not now", "ServiceUnavailable");
       server.bind(exchange, name);
     },
     "bound", 4},
    {"fails",
     [](auto& server, auto& exchange, auto& name, int attempt) {
       if (attempt <= 3) return BindingServer::refuse(exchange, 500, "a webhook", "InternalError");
       server.bind(exchange, name);
     },
     "bound", 4},
    {"reply-lost",
     [](auto& server, auto& exchange, auto& name, int attempt) {
       if (attempt > 1) return BindingServer::refuse(exchange, 409, "already assigned");
       server.put_on(name, "n");
       exchange.hang_up();
     },
     "bound", 2},
    {"request-lost",
     [](auto& server, auto& exchange, auto& name, int attempt) {
       if (attempt == 1) return exchange.hang_up();
       server.bind(exchange, name);
     },
     "bound", 2},
    {"gateway",
     [](auto& server, auto& exchange, auto& name, int attempt) {
       if (attempt == 1) return exchange.reply(504, "upstream request timeout");
       server.bind(exchange, name);
     },
     "bound", 2},
};

TEST_F(ApiBinderTest, MakesTheSameOfEachAnswerAloneAndInABacklog) {
  for (const bool backlog : {false, true}) {
    SCOPED_TRACE(backlog ? "in a backlog" : "alone");
    std::vector<std::string> names;
    std::map<std::string, const AnswerCase*> cases;
    for (const auto& test : kAnswers) {
      const auto name = std::string(test.name) + (backlog ? "2" : "");
      server_.treat(name, test.treatment);
      names.push_back(name);
      cases[name] = &test;
    }
    if (backlog)
      bind_in_a_backlog(names);
    else
      for (const auto& name : names) bind(name);
    const auto all = outcomes();
    for (const auto& [name, test] : cases) {
      std::string want = test->outcome;
      if (const auto at = want.find("/binding:"); backlog && at != std::string::npos) want.insert(at, "2");
      EXPECT_EQ(all.at(name), want);
      EXPECT_EQ(server_.attempts(name), test->attempts) << name;
    }
  }
}

TEST_F(ApiBinderTest, AnErrorThatStaysIsARejectionAfterFourTries) {
  server_.treat("web", [](auto&, auto& exchange, auto&, int) {
    BindingServer::refuse(exchange, 500, "a webhook", "InternalError");
  });
  bind("web");
  EXPECT_TRUE(outcomes().at("web").ends_with("/binding: a webhook")) << outcomes().at("web");
  EXPECT_EQ(server_.attempts("web"), 4);
  EXPECT_FALSE(doubted_.contains("web"));
}

// The request that was answered 503 may be in a backend that executes it later. So the refusal of a later try
// does not end the doubt.
TEST_F(ApiBinderTest, WhatMayHappenAfterARepeatStaysInDoubt) {
  server_.treat("web", [](auto& server, auto& exchange, auto& name, int attempt) {
    if (attempt == 1) return BindingServer::refuse(exchange, 503, "not now", "ServiceUnavailable");
    if (attempt == 2) return BindingServer::refuse(exchange, 403, "no");
    server.put_on(name, "n");  // the first request
    BindingServer::refuse(exchange, 409, "already assigned");
  });
  bind("web");
  EXPECT_EQ(outcomes().at("web"), "bound");
  EXPECT_TRUE(doubted_.contains("web"));
}

// Requests behind it on the same connection were never processed: they are retried one by one.
TEST_F(ApiBinderTest, WhatACutConnectionLeavesInDoubtIsAskedAgain) {
  server_.treat("cut", [](auto& server, auto& exchange, auto& name, int attempt) {
    if (attempt == 1) return exchange.cut();
    server.bind(exchange, name);
  });
  bind_in_a_backlog({"cut"});
  for (const auto& [name, outcome] : outcomes()) {
    EXPECT_EQ(outcome, "bound") << name;
    EXPECT_EQ(server_.node_of(name), "n") << name;
  }
  EXPECT_TRUE(doubted_.contains("cut"));
}

TEST_F(ApiBinderTest, WhatWaitsWhenTheRightToWriteIsLostIsNotSent) {
  server_.hold();
  for (std::size_t i = 0; i < kLanes + kBacklog; ++i) bind(fmt::format("p{}", i));
  server_.wait_for(kLanes);
  may_write_ = false;
  server_.release();
  std::size_t bound = 0;
  for (const auto& [name, outcome] : outcomes()) {
    const bool was_sent = server_.node_of(name) == "n";
    bound += was_sent;
    EXPECT_TRUE(outcome.starts_with(was_sent ? "bound" : "not sent: ")) << name << ": " << outcome;
  }
  EXPECT_EQ(bound, kLanes) << "what was on the wire";
}

// It is retried after a pause, because a lease renewal may have been in flight.
TEST_F(ApiBinderTest, WhatIsInDoubtThenIsUnknown) {
  server_.treat("web", [this](auto&, auto& exchange, auto&, int) {
    may_write_ = false;
    exchange.hang_up();
  });
  bind("web");
  EXPECT_TRUE(outcomes().at("web").starts_with("unknown: "));
  EXPECT_EQ(server_.attempts("web"), 1);
}

TEST_F(ApiBinderTest, AClosedGateEndsWhatIsAskedFor) {
  gate_.close();
  bind("web");
  EXPECT_TRUE(outcomes().at("web").starts_with("unknown: "));
  EXPECT_EQ(server_.attempts("web"), 0);
}

TEST_F(ApiBinderTest, IsReportedWhileBindingsAreInFlight) {
  server_.hold();
  bind("web");
  auto turn = loop_.start(precedence_.turn(std::chrono::steady_clock::now()));
  EXPECT_EQ(turn.wait_for(std::chrono::milliseconds(0)), std::future_status::timeout);
  server_.release();
  turn.get();
  EXPECT_EQ(outcomes().size(), 1u);
}

// An API server on virtual time with a fixed latency per request.
class PacedTransport final : public client::Transport {
 public:
  PacedTransport(unit::ManualClock& clock, std::chrono::milliseconds each) : clock_(clock), each_(each) {}
  client::Task<Result<client::Response>> send(client::Request) override {
    sizes.push_back(1);
    clock_.advance(each_);
    co_return client::Response{.status = 201};
  }
  client::Task<std::vector<Result<client::Response>>> send_all(
      std::vector<client::Request> requests) override {
    sizes.push_back(requests.size());
    clock_.advance(each_ * requests.size());
    std::vector<Result<client::Response>> answers;
    for (std::size_t i = 0; i < requests.size(); ++i) answers.push_back(client::Response{.status = 201});
    co_return answers;
  }
  client::Task<Result<std::unique_ptr<client::Stream>>> open(client::Request) override {
    co_return fail(Error::Kind::internal, "no streams");
  }
  void close() override {}

  std::vector<std::size_t> sizes;

 private:
  unit::ManualClock& clock_;
  const std::chrono::milliseconds each_;
};

// Requests of a slow batch would all be in doubt until the slowest is answered.
TEST(ApiBinderPace, OnlyQuickAnswersLetSeveralGoTogether) {
  for (const bool quick : {true, false}) {
    SCOPED_TRACE(quick);
    boost::asio::io_context context;
    unit::ManualClock clock;
    const auto transport =
        std::make_shared<PacedTransport>(clock, std::chrono::milliseconds(quick ? 5 : 1'000));
    client::Api api(transport, clock, system_random());
    client::Precedence precedence(clock);
    async::Gate gate;
    std::size_t ended = 0;
    ApiBinder binder(
        api, precedence, gate, context.get_executor(), context.get_executor(),
        [&](const std::string&, const cycle::BindOutcome&) { ++ended; }, [](const std::string&) {},
        [](const std::string&, const cycle::PodRead&) {});
    for (int i = 0; i < 64; ++i)
      binder.bind(cluster::make_pod_info(podium::test::pod(fmt::format("p{}", i)).ptr()), "n");
    context.run();
    EXPECT_EQ(ended, 64u);
    EXPECT_EQ(std::ranges::max(transport->sizes), quick ? 8u : 1u);
  }
}

}  // namespace
}  // namespace podium::live
