#include "controller/report/bounds.h"

#include <algorithm>
#include <array>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/serialize.hpp>

namespace podium::controller {
namespace {

namespace json = boost::json;

std::string text_of(const ReportStatus& status) {
  // Hundreds of small values: allocated in one block and freed with it.
  std::array<unsigned char, 16'384> block;
  json::monotonic_resource memory(block.data(), block.size());
  return json::serialize(to_json(status, json::storage_ptr(&memory)));
}

template <typename List>
void keep(List& list, std::size_t most) {
  list.resize(std::min(list.size(), most));
}

void cut_texts(ReportStatus& status, std::size_t bytes) {
  status.message = cut(std::move(status.message), bytes);
  for (auto& condition : status.conditions) condition.message = cut(std::move(condition.message), bytes);
  for (auto& rejection : status.rejections) rejection.reason = cut(std::move(rejection.reason), bytes);
  for (auto& attempt : status.history) attempt.reason = cut(std::move(attempt.reason), bytes);
}

void cut_strategies(ReportStatus& status, std::size_t nodes) {
  for (auto& strategy : status.strategies) keep(strategy.top_nodes, nodes);
}

void cut_rejections(ReportStatus& status, std::size_t most, std::size_t examples) {
  keep(status.rejections, most);
  for (auto& rejection : status.rejections) keep(rejection.examples, examples);
}

// Names of plugins and extenders are as long as their author likes.
void cut_names(ReportStatus& status, std::size_t bytes) {
  for (auto& strategy : status.strategies) strategy.name = cut(std::move(strategy.name), bytes);
  for (auto& rejection : status.rejections) {
    rejection.plugin = cut(std::move(rejection.plugin), bytes);
    if (rejection.shortfall)
      rejection.shortfall->resource = cut(std::move(rejection.shortfall->resource), bytes);
  }
}

constexpr void (*kSteps[])(ReportStatus&) = {
    [](ReportStatus& s) { cut_strategies(s, 3); },
    [](ReportStatus& s) { cut_texts(s, 1024); },
    [](ReportStatus& s) { cut_rejections(s, 16, 1); },
    [](ReportStatus& s) { cut_strategies(s, 1); },
    [](ReportStatus& s) { cut_texts(s, 256); },
    [](ReportStatus& s) { keep(s.top_nodes, 5); },
    [](ReportStatus& s) {
      if (s.preemption) keep(s.preemption->victims, 4);
    },
    [](ReportStatus& s) { cut_rejections(s, 8, 1); },
    [](ReportStatus& s) { cut_strategies(s, 0); },
    [](ReportStatus& s) { keep(s.scheduling_gates, 4); },
    [](ReportStatus& s) { cut_names(s, 63); },
    [](ReportStatus& s) { cut_rejections(s, 4, 0); },
    [](ReportStatus& s) { keep(s.top_nodes, 2); },
    [](ReportStatus& s) { cut_texts(s, 100); },
    [](ReportStatus& s) {
      for (auto& top : s.top_nodes) top.strategy_scores.clear();
      if (s.preemption) keep(s.preemption->victims, 1);
      keep(s.strategies, 8);
      keep(s.scheduling_gates, 1);
      keep(s.history, 2);
    },
    [](ReportStatus& s) {
      s.profile = cut(std::move(s.profile), 63);
      s.strategies.clear();
      keep(s.rejections, 2);
      keep(s.top_nodes, 1);
    },
};

}  // namespace

std::string bounded_json(const ReportStatus& status, std::size_t most) {
  auto text = text_of(status);
  if (text.size() <= most) return text;
  auto shorter = status;
  for (const auto& step : kSteps) {
    step(shorter);
    text = text_of(shorter);
    if (text.size() <= most) break;
  }
  return text;
}

}  // namespace podium::controller
