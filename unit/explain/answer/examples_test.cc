// The examples of docs/reports.md equal podium's answers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <fstream>
#include <sstream>
#include <string>
#include <tuple>

#include "explain/report/json.h"
#include "unit/explain/answer/asking.h"

namespace podium::explain {
namespace {

std::string reports_page() {
  std::ifstream file("docs/reports.md");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// These fields of the status, a line each, as flow style YAML.
std::string lines_of(const ReportStatus& status, std::initializer_list<const char*> fields) {
  const auto json = to_json(status);
  std::string out;
  for (const auto* field : fields) {
    const auto* value = json.if_contains(field);
    if (!value) continue;
    if (const auto* list = value->if_array()) {
      out += fmt::format("{}:\n", field);
      for (const auto& item : *list) out += fmt::format("- {}\n", boost::json::serialize(item));
    } else {
      out += fmt::format("{}: {}\n", field, boost::json::serialize(*value));
    }
  }
  return out + fmt::format("Complete: {}\n", unit::condition(status, "Complete"));
}

// Two zones; a node for GPUs.
cluster::Snapshot small_cluster() {
  cluster::Snapshot snapshot;
  for (const auto& [name, zone, cpu] : {std::tuple{"a1", "zone-a", "4"},
                                        {"a2", "zone-a", "4"},
                                        {"b1", "zone-b", "7"},
                                        {"b2", "zone-b", "3"}}) {
    snapshot.set_node(
        test::node(name).zone(zone).cap("cpu", cpu).cap("memory", "8Gi").cap("pods", "110").ptr());
  }
  snapshot.set_node(test::node("gpu")
                        .zone("zone-b")
                        .cap("cpu", "8")
                        .cap("memory", "8Gi")
                        .cap("pods", "110")
                        .taint("gpu", "yes", "NoSchedule")
                        .ptr());
  return snapshot;
}

std::string web_deployment(std::string_view cpu, int replicas, std::string_view more) {
  return fmt::format(
      R"({{"template": {{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {{"name": "web"}},
      "spec": {{"replicas": {}, "selector": {{"matchLabels": {{"app": "web"}}}}, "template": {{
        "metadata": {{"labels": {{"app": "web"}}}}, "spec": {{"containers": [{{"name": "main", "image": "web:v1",
          "resources": {{"requests": {{"cpu": "{}"}}}}}}]}}}}}}}} {}}})",
      replicas, cpu, more);
}

TEST(Examples, AreWhatPodiumAnswers) {
  const auto page = reports_page();
  const auto snapshot = small_cluster();
  const auto many = unit::ask(web_deployment("2", 10, ""), snapshot);
  const auto fixes = unit::ask(web_deployment("8", 1, R"(, "fixes": true, "nodes": ["b1"])"), snapshot);
  const auto changed =
      unit::ask(web_deployment("6", 2, R"(, "changes": [{"type": "DrainNode", "nodeName": "a1"},
                                                 {"type": "AddNodes", "count": 1, "like": "b1"}])"),
                snapshot);
  const auto group = unit::ask(
      web_deployment("1", 9, R"(, "minCount": 9, "topologyKey": "topology.kubernetes.io/zone")"), snapshot);
  for (const auto& text :
       {lines_of(many, {"outcome", "replicas", "placements"}),
        lines_of(fixes, {"outcome", "verdicts", "fixes"}),
        lines_of(changed, {"outcome", "placements", "changes"}), lines_of(group, {"outcome", "group"})}) {
    EXPECT_NE(page.find(text), std::string::npos) << "docs/reports.md lacks this:\n" << text;
  }
}

}  // namespace
}  // namespace podium::explain
