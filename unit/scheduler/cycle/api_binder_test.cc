// Bindings against a real HTTP server: alone and several at a time, and what is made of every answer.
#include "scheduler/cycle/api_binder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <condition_variable>
#include <map>
#include <set>

#include "unit/client/client_loop.h"
#include "unit/support/builders.h"
#include "unit/support/http_script.h"

namespace podium::cycle {
namespace {

using client::ClientLoop;
using unit::HttpExchange;

constexpr std::size_t kLanes = 16, kBacklog = 64;

// An API server that binds, unless it is told how to treat a pod, and that can be held up.
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
  // As the API server does it: of the UID's pod, once.
  void bind(HttpExchange& exchange, const std::string& name) {
    const auto body = boost::json::parse(exchange.request().body);
    EXPECT_EQ(body.at("metadata").at("uid").as_string(), "uid-" + name);
    put_on(name, std::string(body.at("target").at("name").as_string()));
    exchange.reply(201, R"({"kind":"Status","status":"Success"})");
  }
  static void refuse(HttpExchange& exchange, int code, const std::string& words) {
    exchange.reply(
        code, fmt::format(R"({{"kind":"Status","status":"Failure","code":{},"message":"{}"}})", code, words));
  }

 private:
  void serve(HttpExchange& exchange) {
    const auto& request = exchange.request();
    const std::string pods = "/api/v1/namespaces/default/pods/";
    std::string name = request.target.substr(pods.size());
    name = name.substr(0, name.find('/'));
    if (request.method == "GET") {
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
      changed_.wait(lock, [this] { return !held_; });
    }
    const auto it = treatments_.find(name);
    if (it == treatments_.end()) return bind(exchange, name);
    it->second(*this, exchange, name, attempt);
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool held_ = false;
  std::map<std::string, Treatment> treatments_;
  std::map<std::string, std::string> bound_;
  std::map<std::string, int> attempts_;
  unit::HttpScript script_;
};

std::string words(const BindOutcome& outcome) {
  const char* ends[] = {"bound", "elsewhere", "rejected"};
  return std::string(ends[static_cast<int>(outcome.end)]) + (outcome.error.empty() ? "" : ": ") +
         outcome.error;
}

class ApiBinderTest : public testing::Test {
 protected:
  ~ApiBinderTest() override {
    server_.release();
    transport_->close();
    loop_.finish();
  }
  void bind(const std::string& name) {
    binder_.bind(cluster::make_pod_info(test::pod(name).ptr()), "n");
    ++asked_;
  }
  // A row long enough that lanes take their fill, with these in the midst of it.
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
  // By name, when all have ended.
  std::map<std::string, std::string> outcomes() {
    std::unique_lock lock(mutex_);
    const bool all =
        changed_.wait_for(lock, std::chrono::seconds(60), [this] { return outcomes_.size() >= asked_; });
    EXPECT_TRUE(all) << outcomes_.size() << " of " << asked_;
    return outcomes_;
  }

  BindingServer server_;
  ClientLoop loop_;
  client::ScopedTransport transport_{loop_, client::config_for(server_.url())};
  client::Api api_{transport_.shared(), system_clock(), system_random()};
  client::Precedence precedence_{system_clock()};
  std::size_t asked_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::string> outcomes_;
  ApiBinder binder_{api_, precedence_, loop_.executor(), loop_.executor(),
                    [this](const std::string& uid, const BindOutcome& outcome) {
                      const std::lock_guard lock(mutex_);
                      EXPECT_TRUE(outcomes_.emplace(uid.substr(4), words(outcome)).second)
                          << uid << " ended twice";
                      changed_.notify_all();
                    }};
};

TEST_F(ApiBinderTest, BindsAPodByItsUid) {
  bind("web");
  EXPECT_EQ(outcomes(), (std::map<std::string, std::string>{{"web", "bound"}}));
  EXPECT_EQ(server_.node_of("web"), "n");
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
    {"gone", [](auto&, auto& exchange, auto&, int) { BindingServer::refuse(exchange, 404, "not found"); },
     "elsewhere: the pod is gone", 1},
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
    {"reply-lost",
     [](auto& server, auto& exchange, auto& name, int) {
       server.put_on(name, "n");
       exchange.hang_up();
     },
     "bound", 1},
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
      if (const auto at = want.find("forbidden/"); backlog && at != std::string::npos)
        want.insert(at + 9, "2");
      EXPECT_EQ(all.at(name), want);
      EXPECT_EQ(server_.attempts(name), test->attempts) << name;
    }
  }
}

// What was sent behind it on the same connection was never looked at, and is not taken for bound.
TEST_F(ApiBinderTest, WhatACutConnectionLeavesInDoubtIsLookedAt) {
  server_.treat("cut", [](auto&, auto& exchange, auto&, int) { exchange.cut(); });
  bind_in_a_backlog({"cut"});
  std::size_t bound = 0;
  for (const auto& [name, outcome] : outcomes()) {
    EXPECT_EQ(outcome == "bound", server_.node_of(name) == "n") << name << ": " << outcome;
    bound += outcome == "bound";
  }
  EXPECT_GE(bound, kLanes + kBacklog - 7) << "only what shared that one's connection";
  EXPECT_LT(bound, asked_);
}

TEST_F(ApiBinderTest, IsToldWhileBindingsAreUnderWay) {
  server_.hold();
  bind("web");
  auto turn = loop_.start(precedence_.turn(std::chrono::steady_clock::now()));
  EXPECT_EQ(turn.wait_for(std::chrono::milliseconds(0)), std::future_status::timeout);
  server_.release();
  turn.get();
  EXPECT_EQ(outcomes().size(), 1u);
}

}  // namespace
}  // namespace podium::cycle
