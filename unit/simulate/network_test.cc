// What engines read is known to the observers: by a watch, and by a list.
#include "simulate/server/network.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/json/parse.hpp>
#include <set>
#include <utility>

#include "async/nap.h"
#include "async/virtual_time.h"
#include "simulate/cluster/cluster.h"
#include "simulate/cluster/volumes.h"
#include "simulate/observers/observer.h"

namespace podium::simulate {
namespace {

using namespace std::chrono_literals;

struct Wired {
  Wired() {
    network.begins = [](const Host&, const client::Request&) {};
    network.sent = [](const Host&, const client::Request&) {};
    network.served = [](const Host&, const client::Request&, int) {};
    network.arrives = [](Steady) {};
    network.answered = [](const Host&, const client::Request&, const client::Response&) {};
    network.read = [this](const Host&, const std::string& plural, std::string_view objects) {
      read.emplace_back(plural, objects);
    };
  }
  void pass(Steady::duration wait) {
    for (const auto end = time.now() + wait; time.now() < end;) {
      io.restart();
      const bool ran = agenda.run_due();
      if (io.poll() == 0 && !ran) time.advance(std::min(agenda.next(), end) - time.now());
    }
  }
  // Takes this number of pieces, and leaves the others.
  static client::Task<void> take(std::shared_ptr<client::Transport> transport, std::string target,
                                 int pieces) {
    client::Request request;
    request.method = "GET";
    request.target = std::move(target);
    const auto stream = co_await transport->open(std::move(request));
    for (int i = 0; stream && i < pieces; ++i) (void)co_await (*stream)->read(60s);
    co_await async::nap(1h);
  }
  void watch(const std::string& target, int pieces) {
    const auto host = std::make_shared<Host>(Host{"podium-1"});
    boost::asio::co_spawn(
        io,
        take(network.connect(host, {}),
             target + "?watch=true&resourceVersion=" + std::to_string(store.version()), pieces),
        boost::asio::detached);
    pass(1s);
  }

  async::VirtualTime time{Wall(1'700'000'000s), Steady(1'000'000s)};
  Agenda agenda{time};
  Store store{time};
  ApiServer server{store, agenda, Dice(1)};
  Network network{agenda, server, Faults::none(), Dice(1)};
  boost::asio::io_context io;
  std::vector<std::pair<std::string, std::string>> read;  // kinds and lines
};

TEST(Network, WhatAHostTakesOfAWatchIsRead) {
  Wired wired;
  wired.watch("/api/v1/nodes", 2);
  wired.watch("/api/v1/persistentvolumeclaims", 0);
  wired.store.create({"nodes", "", "n0"}, json::parse(R"({"metadata":{}})"), kPeople);
  wired.store.create({std::string(kVolumeClaims), "shop", "c"}, json::parse(R"({"metadata":{}})"), kPeople);
  wired.pass(1s);
  std::set<std::string> kinds;
  for (const auto& [kind, lines] : wired.read) kinds.insert(kind);
  EXPECT_EQ(kinds, std::set<std::string>{"nodes"});
  ASSERT_FALSE(wired.read.empty());
  EXPECT_NE(wired.read.back().second.find(R"("name":"n0")"), std::string::npos);
  EXPECT_EQ(wired.read.back().second.back(), '\n');
}

// A pod is bound whose claim has no volume.
struct Bound {
  Bound() {
    observer.has_volumes();
    store.create(claim, json::parse(R"({"metadata":{},"spec":{}})"), kPeople);
    store.create(pod, json::parse(R"({"metadata":{},"spec":{"volumes":[
        {"persistentVolumeClaim":{"claimName":"c"}}]}})"),
                 kPeople);
  }
  std::optional<std::string> bind() {
    time.advance(1s);
    observer.arrives(time.now());
    auto bound = store.find(pod)->value;
    bound.as_object()["spec"].as_object()["nodeName"] = "n0";
    store.update(pod, std::move(bound), engine.identity);
    return observer.failure();
  }
  void list(const std::string& more) {
    const auto text =
        R"({"metadata":{"continue":")" + more + R"("},"items":[)" + store.find(claim)->text() + "]}";
    client::Request request;
    request.method = "GET";
    request.target = "/api/v1/persistentvolumeclaims?limit=500";
    observer.answered(engine, request, {200, text});
  }

  const Key pod{"pods", "shop", "p"}, claim{std::string(kVolumeClaims), "shop", "c"};
  const Host engine{"podium-1"};
  async::VirtualTime time{Wall(1'700'000'000s), Steady(1'000'000s)};
  Agenda agenda{time};
  Trace trace{time, false};
  Store store{time};
  Observer observer{store, agenda, trace, 150s};
};

TEST(Observer, DoesNotExpectAnEngineToKnowWhatItHasNotRead) { EXPECT_EQ(Bound().bind(), std::nullopt); }

TEST(Observer, KnowsTheClaimsThatAnEngineHasReadByAWatch) {
  Bound bound;
  bound.observer.read(bound.engine, std::string(kVolumeClaims), bound.store.find(bound.claim)->text());
  EXPECT_NE(bound.bind(), std::nullopt);
}

TEST(Observer, KnowsTheClaimsThatAnEngineHasReadByAList) {
  Bound bound;
  bound.list("");
  EXPECT_NE(bound.bind(), std::nullopt);
}

// podium dispatches a page before it asks for the next.
TEST(Observer, AListIsReadPageByPage) {
  Bound bound;
  bound.list("next");
  EXPECT_NE(bound.bind(), std::nullopt);
}

}  // namespace
}  // namespace podium::simulate
