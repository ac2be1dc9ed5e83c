// podium's own metrics: their values, their names, and docs/metrics.md.
#include "app/run/podium_metrics.h"
#include "base/input.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "app/engine/engine.h"
#include "base/random.h"
#include "explain/report/refusal.h"
#include "metrics/families.h"
#include "metrics/labelled.h"
#include "metrics/samples.h"
#include "scheduler/config/load.h"
#include "unit/client/doubles.h"

namespace podium::app::run {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

struct Served {
  std::string text() const { return prometheus::TextSerializer().Serialize(registry.Collect()); }

  prometheus::Registry registry;
  PodiumMetrics metrics{registry};
};

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

TEST(PodiumMetrics, EachReasonOfARefusalHasASeries) {
  const auto text = Served().text();
  for (const std::string_view reason : explain::kRefusalReasons) {
    EXPECT_THAT(text, HasSubstr(fmt::format("podium_what_ifs_refused_total{{reason=\"{}\"}} 0\n", reason)));
    EXPECT_THAT(text, HasSubstr(fmt::format("`{}`", reason)));
  }
}

TEST(SamplesDeathTest, ASeriesHasAValueForEachLabel) {
  metrics::Samples samples;
  auto& family = samples.counters("a", "A.", {"x", "y"});
  EXPECT_DEATH(family.add({"1"}, 1), "check failed at .*labels_.size\\(\\) = a, 1, 2");
}

TEST(LabelledDeathTest, AMemberHasAValueForEachLabel) {
  prometheus::Registry registry;
  metrics::Counters counters(metrics::counters(registry, "a", "A."), {"x", "y"});
  EXPECT_DEATH(counters.with("1"), "check failed at .*\\(sizeof...\\(values\\), names_.size\\(\\) = 1, 2\\)");
}

// --- docs/metrics.md ---

struct Row {
  std::string name, type;
  std::vector<std::string> labels;
  std::string help;
};

// The samples of an Engine that has not started.
void add_engine_rows(prometheus::Registry& registry, std::vector<Row>& rows) {
  boost::asio::io_context io;
  unit::ManualClock clock;
  const auto config = config::load("", "default").value();
  const auto transport = std::make_shared<unit::ScriptedTransport>();
  const Engine engine(World{.clock = clock,
                            .random = system_random(),
                            .strand = io.get_executor(),
                            .io = io.get_executor(),
                            .workers = io.get_executor(),
                            .extenders = io.get_executor(),
                            .api_server = [&](Traffic, client::MayWrite) { return transport; },
                            .extender = {},
                            .registry = registry,
                            .fault = {}},
                      config, "me");
  metrics::Samples samples;
  engine.sample_metrics(samples);
  for (const auto& family : samples.families()) {
    if (!std::string_view(family.name()).starts_with("podium_")) continue;
    const bool counts = family.type() == metrics::Family::Type::counter;
    rows.push_back({family.name(), counts ? "counter" : "gauge", family.labels(), family.help()});
  }
}

const char* type_of(const prometheus::MetricFamily& family) {
  switch (family.type) {
    case prometheus::MetricType::Counter:
      return "counter";
    case prometheus::MetricType::Histogram:
      return "histogram";
    default:
      return "gauge";
  }
}

std::vector<Row> served_metrics() {
  Served served;
  served.metrics.request({.method = "GET", .target = "/api/v1/pods", .status = 500});
  served.metrics.api_reply("/v1/namespaces/{namespace}/pods/{pod}/scores", 200);
  std::vector<Row> of_engine, out;
  add_engine_rows(served.registry, of_engine);
  for (const auto& family : served.registry.Collect()) {
    if (!family.name.starts_with("podium_")) continue;
    auto& row = out.emplace_back(Row{family.name, type_of(family), {}, family.help});
    if (!family.metric.empty()) {
      for (const auto& label : family.metric.front().label) row.labels.push_back(label.name);
    }
  }
  std::ranges::move(of_engine, std::back_inserter(out));
  return out;
}

TEST(PodiumMetrics, AreTheTableOfTheDocument) {
  constexpr auto kPage = "docs/metrics.md";
  constexpr std::string_view kHead = "| Metric | Type | Labels | What it says |\n|---|---|---|---|\n";
  std::string rows;
  for (const auto& [name, type, labels, help] : served_metrics())
    rows += fmt::format("| `{}` | {} | {} | {} |\n", name, type, fmt::join(labels, ", "), help);
  auto page = read_file(kPage).value();
  const auto begin = page.find(kHead);
  ASSERT_NE(begin, page.npos);
  if (std::getenv("PODIUM_WRITE_DOCS")) {
    const auto from = begin + kHead.size(), to = page.find_first_not_of('\n', page.find("\n\n", from));
    std::ofstream(kPage) << page.substr(0, from) << rows << (to == page.npos ? "" : "\n" + page.substr(to));
    page = read_file(kPage).value();
  }
  EXPECT_NE(page.find(std::string(kHead) + rows), page.npos) << "PODIUM_WRITE_DOCS=1 writes it:\n" << rows;
}

// The rules of promtool's linter for names.
TEST(PodiumMetrics, NamesFollowTheRules) {
  for (const auto& [name, type, labels, help] : served_metrics()) {
    EXPECT_EQ(name.ends_with("_total"), type == "counter") << name;
    EXPECT_FALSE(name.ends_with("_count") || name.ends_with("_sum") || name.ends_with("_bucket")) << name;
    EXPECT_TRUE(type != "histogram" || name.ends_with("_seconds")) << name;
    EXPECT_EQ(name.find("milliseconds"), std::string::npos) << name;
    EXPECT_TRUE(help.ends_with(".")) << name;
  }
}

}  // namespace
}  // namespace podium::app::run
