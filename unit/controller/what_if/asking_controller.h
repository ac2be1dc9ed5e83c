// Asking: a WhatIfController on an in-memory API server, and a user who asks it.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "controller/what_if/what_if_controller.h"
#include "scheduler/cluster/snapshot.h"
#include "unit/controller/report/served_api.h"
#include "unit/support/builders.h"

namespace podium::controller {

inline const std::string kPath = "PATCH /apis/podium.dev/v1alpha1/namespaces/shop/schedulingreports/";

inline client::Task<cluster::Snapshot> one_node() {
  cluster::Snapshot made;
  made.set_node(test::node("n1").cap("cpu", "4").cap("memory", "8Gi").cap("pods", "110").ptr());
  co_return made;
}

inline config::Config with(config::Podium::WhatIf what_if) {
  auto settings = unit::default_config();
  settings.podium.what_if = what_if;
  return settings;
}

struct Asking : unit::ServedApi {
  explicit Asking(config::Podium::WhatIf what_if = {}) : settings(with(what_if)) {
    server.serve_watches(unit::kPlural);
    async::spawn(gate, io.get_executor(), "what-ifs", controller.run());
  }
  ~Asking() {
    controller.stop();
    gate.cancel();
    io.restart();
    io.run();
  }
  void ask(const std::string& name, std::string_view spec, int generation = 1,
           const std::string& ns = "shop") {
    auto question = server.find(unit::kPlural, ns, name);
    if (question.is_null()) question = {{"metadata", {{"name", name}, {"namespace", ns}}}};
    question.at("metadata").as_object()["generation"] = generation;
    boost::json::parse_options deep;
    deep.max_depth = 256;
    question.as_object()["spec"] = boost::json::parse(spec, {}, deep);
    server.put(unit::kPlural, std::move(question));
  }
  void settle() {
    while (io.poll_one() > 0) {
    }
  }
  // Lets backoffs end: advances the clock and offers another what-if.
  void wait_for_backoffs() {
    clock.advance(std::chrono::minutes(5));
    ask(fmt::format("another-{}", ++pokes), kAnyone, 1, "elsewhere");
    settle();
  }
  boost::json::value status(const std::string& name, const std::string& ns = "shop") const {
    const auto asked = server.find(unit::kPlural, ns, name);
    const auto* found = asked.is_object() ? asked.get_object().if_contains("status") : nullptr;
    return found ? *found : boost::json::value();
  }
  // "True Reason: message"
  std::string condition(const std::string& type, const std::string& name,
                        const std::string& ns = "shop") const {
    const auto now = status(name, ns);
    if (now.is_null() || !now.as_object().contains("conditions")) return "no answer";
    for (const auto& c : now.at("conditions").as_array()) {
      if (c.at("type") != boost::json::string(type)) continue;
      return fmt::format("{} {}: {}", unit::ObjectServer::text(c, "/status"),
                         unit::ObjectServer::text(c, "/reason"), unit::ObjectServer::text(c, "/message"));
    }
    return "no condition";
  }
  std::string condition_time(const std::string& type, const std::string& name) const {
    const auto now = status(name);
    for (const auto& c : now.at("conditions").as_array()) {
      if (c.at("type") == boost::json::string(type))
        return unit::ObjectServer::text(c, "/lastTransitionTime");
    }
    return "no condition";
  }
  boost::json::object labels(const std::string& name) const {
    const auto asked = server.find(unit::kPlural, "shop", name);
    const auto* found = asked.at("metadata").as_object().if_contains("labels");
    return found ? found->as_object() : boost::json::object();
  }
  std::string accepted(const std::string& name, const std::string& ns = "shop") const {
    return condition("Accepted", name, ns);
  }
  unit::Lines writes() const {
    unit::Lines out;
    for (auto& line : server.requests()) {
      if (!line.starts_with("GET ")) out.push_back(std::move(line));
    }
    return out;
  }
  bool all_answered() const {
    return std::ranges::all_of(server.all(unit::kPlural), [](const boost::json::value& each) {
      const auto* status = each.get_object().if_contains("status");
      return status && status->at("observedGeneration") == each.at("metadata").at("generation");
    });
  }

  static constexpr std::string_view kAnyone = R"({"dryRun":true,"podRef":{"name":"nobody"}})";
  int pokes = 0;
  std::vector<WhatIfEnd> ends;
  const config::Config settings;
  async::Gate gate;
  Retention retention{api, {}, gate, io.get_executor()};
  WhatIfController controller{api,
                              retention,
                              settings,
                              gate,
                              io.get_executor(),
                              io.get_executor(),
                              one_node,
                              [this](const WhatIfEnd& end) { ends.push_back(end); }};
};

inline constexpr std::string_view kFits =
    R"({"dryRun":true,"template":{"spec":{"containers":[{"name":"c","image":"i"}]}}})";

}  // namespace podium::controller
