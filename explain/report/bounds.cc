#include "explain/report/bounds.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <string>
#include <utility>
#include <vector>

#include "explain/report/json.h"
#include "explain/report/visits.h"

namespace podium::explain {
namespace {

namespace json = boost::json;

template <typename List>
void keep(List& list, std::size_t most) {
  list.resize(std::min(list.size(), most));
}

// Keeps at most `most` victims, and as many of the budgets that they violate.
void keep_victims(ReportStatus& status, std::size_t most) {
  if (!status.preemption) return;
  keep(status.preemption->victims, most);
  keep(status.preemption->violated_budgets, most);
}

// Cuts the texts of this meaning: sentences, or names of plugins, resources and domains, whose
// length is not bounded.
void cut_to(ReportStatus& status, Meaning meaning, std::size_t bytes) {
  each_text(status, [&](Meaning has, std::string& text) {
    if (has == meaning) text = cut(std::move(text), bytes);
  });
}
void cut_texts(ReportStatus& status, std::size_t bytes) { cut_to(status, Meaning::text, bytes); }
void cut_names(ReportStatus& status, std::size_t bytes) {
  cut_to(status, Meaning::name, bytes);
  cut_to(status, Meaning::domain, bytes);
}

void cut_strategies(ReportStatus& status, std::size_t nodes) {
  for (auto& strategy : status.strategies) keep(strategy.top_nodes, nodes);
}

// The nodes that a rejection names, their taints, and the rules that taint devices.
void keep_nodes(ReportRejection& rejection, std::size_t most) {
  keep(rejection.examples, most);
  keep(rejection.taints, most);
  for (auto& tally : rejection.devices) keep(tally.taint_rules, most);
  if (most == 0 && rejection.shortfall) rejection.shortfall->node.clear();
  if (most == 0) rejection.parts.clear();
  if (most == 0) rejection.apart.clear();
  if (most == 0) rejection.near_toleration.reset();
  keep(rejection.similar, most);
  for (auto& part : rejection.parts) {
    keep(part.values, most);
    keep(part.near, most);
  }
}

void cut_rejections(ReportStatus& status, std::size_t most, std::size_t examples) {
  keep(status.rejections, most);
  for (auto& rejection : status.rejections) keep_nodes(rejection, examples);
}

// Those given, and the requests that were counted.
void cut_devices(ReportStatus& status, std::size_t given, std::size_t requests) {
  keep(status.devices, given);
  for (auto& rejection : status.rejections) keep(rejection.devices, requests);
}

void keep_gates(ReportStatus& status, std::size_t most) {
  keep(status.scheduling_gates, most);
  for (auto& time : status.gated) keep(time.by, most);
}

constexpr void (*kSteps[])(ReportStatus&) = {
    [](ReportStatus& s) { cut_strategies(s, 3); },
    [](ReportStatus& s) { cut_texts(s, 1024); },
    [](ReportStatus& s) { cut_rejections(s, 16, 1); },
    [](ReportStatus& s) { cut_devices(s, 8, 4); },
    [](ReportStatus& s) { cut_strategies(s, 1); },
    [](ReportStatus& s) { keep(s.findings, 5); },
    [](ReportStatus& s) { cut_texts(s, 256); },
    [](ReportStatus& s) { keep(s.top_nodes, 5); },
    // A victim may be named here only, so names of victims stay longer than what says more of the choice.
    [](ReportStatus& s) { keep_victims(s, 128); },
    [](ReportStatus& s) { cut_rejections(s, 8, 1); },
    [](ReportStatus& s) { cut_strategies(s, 0); },
    [](ReportStatus& s) { keep_victims(s, 96); },
    [](ReportStatus& s) { keep_victims(s, 64); },
    [](ReportStatus& s) { keep_victims(s, 32); },
    [](ReportStatus& s) { keep_victims(s, 16); },
    [](ReportStatus& s) { keep_gates(s, 4); },
    [](ReportStatus& s) { cut_names(s, 63); },
    [](ReportStatus& s) { keep_victims(s, 4); },
    [](ReportStatus& s) { cut_devices(s, 4, 1); },
    [](ReportStatus& s) { cut_rejections(s, 4, 0); },
    [](ReportStatus& s) { keep(s.top_nodes, 2); },
    [](ReportStatus& s) { cut_texts(s, 100); },
    [](ReportStatus& s) {
      for (auto& top : s.top_nodes) top.strategy_scores.clear();
      keep_victims(s, 1);
      keep(s.strategies, 8);
      keep_gates(s, 1);
      keep(s.history, 2);
      keep(s.findings, 1);
    },
    [](ReportStatus& s) {
      s.strategies.clear();
      keep(s.rejections, 2);
      keep(s.top_nodes, 1);
      cut_devices(s, 0, 0);
    },
};

// --- answers ---

constexpr std::size_t kStampedBytes = 512;  // times and generations that are set later

void cut_answer_devices(ReportStatus& status, std::size_t given, std::size_t requests) {
  cut_devices(status, given, requests);
  for (auto* failure : failures_of(*status.answer)) {
    for (auto& rejection : failure->rejections) keep(rejection.devices, requests);
  }
}

void cut_answer_rejections(ReportStatus& status, std::size_t most, std::size_t examples) {
  cut_rejections(status, most, examples);
  for (auto* failure : failures_of(*status.answer)) {
    keep(failure->rejections, most);
    for (auto& rejection : failure->rejections) keep_nodes(rejection, examples);
  }
}

// The author wrote the term or the constraint, so its length is not bounded. The message identifies it.
void drop_fields(ReportAnswer& answer, std::size_t longer_than) {
  for (auto& fix : answer.fixes) {
    if (json::serialize(fix.fields).size() > longer_than) fix.fields.clear();
  }
}

void cut_verdicts(ReportAnswer& answer, std::size_t checks, std::size_t reasons) {
  for (auto& verdict : answer.verdicts) {
    keep(verdict.checks, checks);
    keep(verdict.reasons, reasons);
    keep(verdict.causes, reasons);
    for (auto& check : verdict.checks) {
      keep(check.reasons, reasons);
      keep(check.causes, reasons);
      keep(check.taints, reasons);
      keep(check.unmet, reasons);
      if (reasons == 0) check.near_toleration.reset();
    }
  }
}

void cut_pods(ReportAnswer& answer, std::size_t most) {
  for (auto& change : answer.changes) {
    keep(change.pods, most);
    keep(change.waiting, most);
    keep(change.budgets, most);
    if (most == 0) change.budgets_total = 0;  // budgetsBroken remains
    for (auto& budget : change.budgets) keep(budget.pods, most);
  }
}

void cut_search(ReportAnswer& answer, std::size_t workloads, std::size_t moves) {
  if (answer.nodes_wanted) {
    keep(answer.nodes_wanted->unplaced, workloads);
    for (auto& added : answer.nodes_wanted->added) {
      keep(added.workloads, workloads);
      keep(added.allocatable, std::max<std::size_t>(2, workloads));
      keep(added.left_over, std::max<std::size_t>(2, workloads));
    }
  }
  if (answer.weights_compared) keep(answer.weights_compared->elsewhere, moves);
  if (!answer.nodes_spare) return;
  for (auto& node : answer.nodes_spare->nodes) keep(node.pods, moves);
  for (auto& blocked : answer.nodes_spare->blocked) keep(blocked.examples, moves);
}

constexpr void (*kAnswerSteps[])(ReportStatus&) = {
    [](ReportStatus& s) { drop_fields(*s.answer, 2048); },
    [](ReportStatus& s) { cut_strategies(s, 3); },
    [](ReportStatus& s) { cut_answer_devices(s, 8, 4); },
    [](ReportStatus& s) { cut_texts(s, 1024); },
    [](ReportStatus& s) { cut_answer_rejections(s, 16, 1); },
    [](ReportStatus& s) { drop_fields(*s.answer, 512); },
    [](ReportStatus& s) { cut_texts(s, 256); },
    [](ReportStatus& s) { cut_strategies(s, 1); },
    [](ReportStatus& s) { keep(s.answer->placements, 32); },
    [](ReportStatus& s) { keep_victims(s, 16); },
    [](ReportStatus& s) { keep(s.answer->quotas, 4); },
    [](ReportStatus& s) { cut_verdicts(*s.answer, 16, 1); },
    [](ReportStatus& s) { cut_answer_rejections(s, 8, 1); },
    [](ReportStatus& s) {
      cut_pods(*s.answer, 16);
      cut_search(*s.answer, 4, 16);
    },
    [](ReportStatus& s) { cut_names(s, 63); },
    [](ReportStatus& s) { keep(s.answer->placements, 16); },
    [](ReportStatus& s) { keep_victims(s, 4); },
    [](ReportStatus& s) {
      cut_pods(*s.answer, 4);
      cut_search(*s.answer, 2, 4);
    },
    [](ReportStatus& s) { cut_texts(s, 100); },
    [](ReportStatus& s) {
      cut_verdicts(*s.answer, 0, 1);
      for (auto& verdict : s.answer->verdicts) verdict.resources.clear();
    },
    [](ReportStatus& s) {
      cut_answer_devices(s, 1, 1);
      cut_answer_rejections(s, 4, 0);
      keep(s.top_nodes, 2);
      keep(s.answer->placements, 4);
    },
    [](ReportStatus& s) {
      cut_pods(*s.answer, 0);
      for (auto& change : s.answer->changes) keep(change.fullest, 1);  // the table of steps has one
      cut_search(*s.answer, 1, 0);
      if (s.answer->nodes_wanted) keep(s.answer->nodes_wanted->added, 8);
      if (s.answer->nodes_spare) keep(s.answer->nodes_spare->nodes, 16);
    },
    [](ReportStatus& s) {
      s.strategies.clear();
      for (auto& verdict : s.answer->verdicts) verdict.strategy_scores.clear();
      for (auto& top : s.top_nodes) top.strategy_scores.clear();
      keep_victims(s, 1);
      if (s.answer->group) keep(s.answer->group->domains, 4);
      keep(s.answer->zones, 4);
      keep(s.answer->quotas, 2);
      for (auto& quota : s.answer->quotas) keep(quota.resources, 4);
      drop_fields(*s.answer, 0);
    },
    [](ReportStatus& s) {
      cut_texts(s, 40);
      cut_answer_rejections(s, 2, 0);
      for (auto& verdict : s.answer->verdicts) verdict.would_fit_with.clear();
      for (auto& change : s.answer->changes) change.message.clear();
      // They are in the order of the changes.
      for (auto& change : s.answer->changes) change.node.clear();
      for (auto& change : s.answer->changes) change.spare.clear();
      for (auto& change : s.answer->changes) keep(change.fullest, 0);
      cut_search(*s.answer, 0, 0);
      if (s.answer->nodes_wanted) {
        keep(s.answer->nodes_wanted->added, 2);
        s.answer->nodes_wanted->uncordon.clear();  // a part of them does not do
      }
      if (s.answer->nodes_spare) keep(s.answer->nodes_spare->nodes, 4);
      keep(s.answer->quotas, 1);
      for (auto& quota : s.answer->quotas) keep(quota.resources, 1);
    },
};

}  // namespace

void bound_answer(ReportStatus& status) {
  if (!status.answer) return;
  for (const auto& step : kAnswerSteps) {
    if (to_text(status).size() + kStampedBytes <= kAnswerBytes) return;
    step(status);
  }
}

std::string bounded_json(const ReportStatus& status, std::size_t most) {
  auto text = to_text(status);
  if (text.size() <= most) return text;
  auto shorter = status;
  for (const auto& step : kSteps) {
    step(shorter);
    text = to_text(shorter);
    if (text.size() <= most) break;
  }
  return text;
}

}  // namespace podium::explain
