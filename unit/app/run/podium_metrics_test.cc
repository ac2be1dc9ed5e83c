// podium's own metrics: their values, their names, and docs/metrics.md.
#include "app/run/podium_metrics.h"
#include "base/input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/text_serializer.h>

#include <map>
#include <set>
#include <sstream>

#include "scheduler/cycle/metrics.h"

namespace podium::app::run {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

PodiumMetrics::State some_state() {
  PodiumMetrics::State state;
  state.reports = {.written = 7, .dropped = 1, .failed = 2, .unchanged = 3, .retried = 4, .waiting = 5};
  state.stored_decisions = 6;
  state.stored_decision_bytes = 7'000;
  state.deleted = 9;
  state.deleted_early = 4;
  state.overdue = 1500ms;
  state.events_dropped = 8;
  state.watches = {{"pods", false}, {"nodes", true}};
  state.since_renewal = 250ms;
  state.crd_ready = false;
  state.fitting = {{"shop", "probe", 3}, {"bank", "probe", 0}};
  state.log.limited = 11;
  return state;
}

struct Served {
  std::string text() const { return prometheus::TextSerializer().Serialize(registry.Collect()); }

  prometheus::Registry registry;
  PodiumMetrics metrics{registry};
};

TEST(PodiumMetrics, ShowWhatThePartsCount) {
  Served served;
  served.metrics.set(some_state());
  served.metrics.set(some_state());
  const auto text = served.text();
  for (const char* line :
       {"podium_reports_written_total 7\n", "podium_reports_dropped_total 1\n",
        "podium_reports_retried_total 4\n", "podium_reports_pending 5\n",
        "podium_reports_stored{kind=\"decision\"} 6\n",
        "podium_reports_stored_bytes{kind=\"decision\"} 7000\n",
        "podium_reports_deleted_total{reason=\"expired\"} 5\n",
        "podium_reports_deleted_total{reason=\"limit\"} 4\n", "podium_reports_overdue_seconds 1.5\n",
        "podium_events_dropped_total 8\n", "podium_watches_failing{resource=\"pods\"} 1\n",
        "podium_watches_failing{resource=\"nodes\"} 0\n", "podium_lease_renewal_age_seconds 0.25\n",
        "podium_report_crd_ready 0\n", "podium_log_lines_dropped_total{reason=\"limit\"} 11\n",
        "podium_what_if_fitting{name=\"probe\",namespace=\"shop\"} 3\n",
        "podium_what_if_fitting{name=\"probe\",namespace=\"bank\"} 0\n",
        "podium_what_ifs_refused_total{reason=\"TooManyQuestions\"} 0\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

TEST(PodiumMetrics, OneThatDoesNotLeadHasNoAgeOfTheLease) {
  Served served;
  served.metrics.set(some_state());
  auto state = some_state();
  state.since_renewal.reset();
  served.metrics.set(state);
  EXPECT_THAT(served.text(), Not(HasSubstr("podium_lease_renewal_age_seconds 0")));
}

TEST(PodiumMetrics, FailedRequestsAreCountedByTheirRight) {
  Served served;
  const auto ended = [&](const char* method, const char* target, int status) {
    client::Exchange exchange;
    exchange.method = method;
    exchange.target = target;
    exchange.status = status;
    served.metrics.request(exchange);
  };
  for (const int status : {200, 201, 404, 409, 410}) ended("GET", "/api/v1/pods", status);
  EXPECT_THAT(served.text(), Not(HasSubstr("podium_api_request_failures_total{")));
  ended("POST", "/api/v1/namespaces/a/pods/b/binding", 403);
  ended("POST", "/api/v1/namespaces/c/pods/d/binding", 403);
  ended("GET", "/api/v1/nodes?watch=true", 0);
  const auto text = served.text();
  EXPECT_THAT(
      text,
      HasSubstr(
          "podium_api_request_failures_total{code=\"403\",resource=\"pods/binding\",verb=\"create\"} 2\n"));
  EXPECT_THAT(
      text,
      HasSubstr("podium_api_request_failures_total{code=\"none\",resource=\"nodes\",verb=\"watch\"} 1\n"));
}

TEST(PodiumMetrics, WhatIfsAreCountedByTheirEnd) {
  Served served;
  controller::WhatIfEnd fits, invalid;
  fits.result = "Fits";
  fits.duration = 20ms;
  invalid.result = "Invalid";
  invalid.refused = true;
  served.metrics.what_if_ended(fits);
  served.metrics.what_if_ended(invalid);
  const auto text = served.text();
  EXPECT_THAT(text, HasSubstr("podium_what_ifs_answered_total{outcome=\"Fits\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("podium_what_ifs_refused_total{reason=\"Invalid\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("podium_what_if_duration_seconds_count 2\n"));
}

// --- docs/metrics.md ---

struct Documented {
  std::string type;
  std::set<std::string> labels;
  bool operator==(const Documented&) const = default;
};

std::string cell(const std::string& row, int number) {
  std::istringstream cells(row);
  std::string text;
  for (int i = 0; i <= number; ++i) std::getline(cells, text, '|');
  const auto begin = text.find_first_not_of(" `");
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" `") - begin + 1);
}

std::map<std::string, Documented> documented() {
  std::map<std::string, Documented> out;
  std::istringstream rows(read_file("docs/metrics.md").value());
  for (std::string row; std::getline(rows, row);) {
    if (!row.starts_with("| `podium_")) continue;
    auto& metric = out[cell(row, 1)];
    metric.type = cell(row, 2);
    std::istringstream labels(cell(row, 3));
    for (std::string label; std::getline(labels >> std::ws, label, ',');) metric.labels.insert(label);
  }
  return out;
}

std::map<std::string, Documented> served_metrics() {
  Served served;
  const cycle::Metrics of_the_cycle(served.registry);
  served.metrics.set(some_state());
  served.metrics.request({.method = "GET", .target = "/api/v1/pods", .status = 500});
  served.metrics.api_reply("/v1/namespaces/{namespace}/pods/{pod}/scores", 200);
  std::map<std::string, Documented> out;
  for (const auto& family : served.registry.Collect()) {
    if (!family.name.starts_with("podium_")) continue;
    auto& metric = out[family.name];
    metric.type = family.type == prometheus::MetricType::Counter     ? "counter"
                  : family.type == prometheus::MetricType::Histogram ? "histogram"
                                                                     : "gauge";
    for (const auto& member : family.metric) {
      for (const auto& label : member.label) metric.labels.insert(label.name);
    }
  }
  return out;
}

TEST(PodiumMetrics, TheDocumentHasEachAndNoOther) {
  const auto in_document = documented();
  const auto in_program = served_metrics();
  for (const auto& [name, metric] : in_program) {
    ASSERT_TRUE(in_document.contains(name)) << name << " has no row in docs/metrics.md";
    EXPECT_EQ(in_document.at(name).type, metric.type) << name;
    EXPECT_EQ(in_document.at(name).labels, metric.labels) << name;
  }
  for (const auto& [name, metric] : in_document) EXPECT_TRUE(in_program.contains(name)) << name;
}

// What promtool's linter asks of names.
TEST(PodiumMetrics, NamesFollowTheRules) {
  for (const auto& [name, metric] : served_metrics()) {
    EXPECT_EQ(name.ends_with("_total"), metric.type == "counter") << name;
    EXPECT_FALSE(name.ends_with("_count") || name.ends_with("_sum") || name.ends_with("_bucket")) << name;
    EXPECT_TRUE(metric.type != "histogram" || name.ends_with("_seconds")) << name;
    EXPECT_EQ(name.find("milliseconds"), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace podium::app::run
