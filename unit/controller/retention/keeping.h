// Fixture: a Retention on an in-memory API server and a clock that the test moves.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "controller/report/metadata.h"
#include "controller/retention/retention.h"
#include "unit/controller/report/log_capture.h"
#include "unit/controller/report/served_api.h"

namespace podium::controller::retention_test {

namespace asio = boost::asio;
namespace json = boost::json;
using namespace std::chrono_literals;
using unit::kPlural;
using unit::Lines;
using unit::ObjectServer;
using unit::ServedApi;

// Rounds and backoffs take a millisecond; only the test advances the clock that decides what is due.
inline RetentionOptions fast() {
  RetentionOptions made;
  made.round = 1ms;
  made.deletes_per_second = 100'000;
  made.item = made.all = {1ms, 1ms};
  return made;
}

struct Keeping : ServedApi {
  explicit Keeping(RetentionOptions options = fast()) : retention(api, options, gate, io.get_executor()) {}
  ~Keeping() {
    gate.cancel();
    io.restart();
    io.run();
  }

  // Stores a report on the API server, last written this long ago.
  void keep(const std::string& name, std::chrono::seconds age = 0s, json::value annotations = json::object(),
            json::value spec = {{"dryRun", false}}, json::value status = json::object()) {
    server.put(kPlural, {{"metadata",
                          {{"name", name},
                           {"namespace", "shop"},
                           {"uid", "uid-of-" + name},
                           {"annotations", std::move(annotations)},
                           {"creationTimestamp", format_time(clock.wall() - age)}}},
                         {"spec", std::move(spec)},
                         {"status", std::move(status)}});
  }
  void track(const std::string& name, std::chrono::seconds ttl, ReportKind kind = ReportKind::decision) {
    retention.track("shop", name, "uid-of-" + name, ttl, kind);
  }
  // The same, as the answer to a write tells of it.
  void track_stored(const std::string& name, std::chrono::seconds ttl,
                    ReportKind kind = ReportKind::decision) {
    const auto version = ObjectServer::text(report(name), "/metadata/resourceVersion");
    retention.track("shop", name, "uid-of-" + name, ttl, kind, std::nullopt, {.version = version});
  }
  // Another client writes the report now.
  void write_again(const std::string& name) {
    auto object = report(name);
    object.at("metadata").as_object()["managedFields"] =
        json::array{{{"manager", "podium"}, {"time", format_time(clock.wall())}}};
    server.put(kPlural, object);
  }
  // Runs until the condition is true and then some more steps, in which more could go wrong.
  template <typename Condition>
  void run_until(Condition condition) {
    if (!std::exchange(started, true)) retention.start();
    io.restart();
    for (int i = 0; i < 20'000 && !condition(); ++i) io.run_one();
    EXPECT_TRUE(condition());
    run_on(20);
  }
  void run_on(int steps = 100) {
    for (int i = 0; i < steps; ++i) io.run_one();
  }
  Lines names() const {
    Lines out;
    for (const auto& report : server.all(kPlural))
      out.push_back(ObjectServer::text(report, "/metadata/name"));
    return out;
  }
  Lines deletes() const {
    Lines out;
    for (const auto& line : server.requests("DELETE")) out.push_back(line.substr(line.rfind('/') + 1));
    return out;
  }

  unit::LogCapture log;
  async::Gate gate;
  Retention retention;
  bool started = false;
};

// Reports that expire in one minute of a namespace, as a list finds them.
struct Minute : Keeping {
  explicit Minute(int count, const char* prefix = "r") {
    const auto label = expiry_minute(clock.wall() + 1h);
    for (int i = 0; i < count; ++i) put(fmt::format("{}{:04}", prefix, i), label);
  }
  void put(const std::string& name, const std::string& label) {
    keep(name);
    auto object = report(name);
    object.at("metadata").as_object()["labels"] =
        json::object{{"podium.dev/report", "decision"}, {"podium.dev/expires", label}};
    server.put(kPlural, object);
  }
};

}  // namespace podium::controller::retention_test
