#include "app/render/words_json.h"

#include <boost/json/array.hpp>
#include <string>
#include <utility>

#include "app/render/fixes.h"
#include "app/render/namespace_capacity.h"
#include "app/render/nodes.h"
#include "app/render/pending.h"
#include "app/render/report.h"
#include "app/render/scores.h"
#include "app/render/timeline.h"
#include "app/render/what_if.h"
#include "app/render/why.h"
#include "app/render/words.h"
#include "app/render/words_json_parts.h"

namespace podium::render {
namespace {

namespace json = boost::json;

json::array rejections(const std::vector<explain::ReportRejection>& all) {
  json::array out;
  for (const auto& one : all) {
    json::object words{{"reason", rejection_words(one)}};
    put(words, "missing", shortfall_words(one));
    out.push_back(std::move(words));
  }
  return out;
}

json::array fixes(const explain::ReportAnswer& answer) {
  json::array out;
  for (const auto& fix : answer.fixes) {
    json::object words{{"what", fix.message.empty() ? fix.type : fix.message},
                       {"outcome", fix_outcome(fix, answer.asked)}};
    put(words, "snippet", fix_snippet(fix));
    out.push_back(std::move(words));
  }
  return out;
}

json::array verdicts(const Report& report, const Asked& asked) {
  json::array out;
  for (const auto& verdict : answer_of(report).verdicts) {
    const auto checks = checks_of(verdict, {});
    auto passes = texts(checks.amounts);
    for (const auto& words : checks.passes) passes.emplace_back(words);
    auto about = node_words(report, verdict, asked.subject, {});
    if (!asked.fixes && verdict.would_fit_with.empty() && !verdict.fits) about.notes.clear();
    json::object one{{"title", about.title.substr(0, about.title.find('\n'))},
                     {"rejects", texts(checks.rejects)},
                     {"passes", std::move(passes)}};
    put(one, "notes", lines_of(about.notes + about.rank));
    out.push_back(std::move(one));
  }
  return out;
}

void add_answer(const Report& report, const Asked& asked, json::object& out) {
  const auto& answer = answer_of(report);
  put(out, "stuckRollout", lines_of(stuck_rollout_line(report)));
  put(out, "room", lines_of(room_line(report)));
  put(out, "quotaVerdict", quota_verdict(answer));
  // Without `room`, an answer about a pod that fits does not say how many more do.
  const bool is_search = answer.nodes_wanted || answer.nodes_spare || answer.weights_compared;
  const bool is_about_room = answer.room || (answer.fitting == 0 && !is_search);
  if (answer.asked == 1 && answer.changes.empty() && is_about_room)
    out["capacity"] = capacity_words_json(report);
  json::array quotas;
  for (const auto& quota : answer.quotas) quotas.emplace_back(quota_line(quota, report.ns, answer.asked));
  put(out, "quotas", std::move(quotas));
  if (answer.first_failure) {
    const auto& failure = *answer.first_failure;
    out["firstFailure"] = json::object{{"rejections", rejections(failure.rejections)}};
  }
  put(out, "fixes", fixes(answer));
  put(out, "noFix", lines_of(no_fix_words(answer)));
  put(out, "verdicts", verdicts(report, asked));
  put(out, "changes", change_words_json(answer.changes, report.ns, asked));
  if (auto rolling = rolling_words_json(answer.changes, report.ns, asked); !rolling.empty())
    out["rolling"] = rolling;
  if (answer.nodes_spare || answer.nodes_wanted) {
    const NodesAnswers answers{.asked = {{report.ns, answer}}, .unasked = {}};
    json::object nodes;
    put(nodes, "verdict", nodes_verdict(answers, {}));
    put(nodes, "notes", lines_of(nodes_notes(answers)));
    out["nodes"] = std::move(nodes);
  }
  json::array blocked;
  if (answer.nodes_spare) {
    for (const auto& nodes : answer.nodes_spare->blocked) blocked.emplace_back(blocked_words(nodes));
  }
  put(out, "blocked", std::move(blocked));
}

// What a decision and an answer have.
json::object words_json(const Report& report) {
  json::object out{{"blockedBy", blocked_by(report.status)}};
  if (report.status.choice) put(out, "choice", choice_words(report));
  put(out, "lead", lead(report));
  put(out, "decided", lines_of(decided_by(report)));
  put(out, "rejections", rejections(report.status.rejections));
  put(out, "selector", lines_of(selector_table(report.status.rejections, {})));
  put(out, "replaces", lines_of(pod_before_line(report.status)));
  if (const auto& preempted = report.status.preemption)
    put(out, "violatedBudgets", violated_budgets(*preempted));
  return out;
}

Report report_of(const explain::ReportStatus& status, const std::string& ns, bool is_question) {
  Report report;
  report.ns = ns;
  report.is_question = is_question;
  report.status = status;
  make_printable(report);
  return report;
}

std::vector<TimelineEntry> moments_with(const Report& report, const Life& life) {
  auto out = moments_of(report, life.nominated);
  for (auto& moment : moments_of_gone(report, life.created)) out.push_back(std::move(moment));
  if (!life.is_gone) return in_order(std::move(out));
  // A pod that was chosen to make room may still run: its eviction may be refused.
  if (life.evicted_for) out.push_back(evicted(life.evicted_at, life.evicted_for->text()));
  out.push_back({life.gone_at, "gone"});
  return in_order(std::move(out));
}

}  // namespace

json::object words_json(const explain::ReportStatus& status, const std::string& ns, const Life& life) {
  const auto report = report_of(status, ns, false);
  auto out = words_json(report);
  out["timeline"] = timeline_document(moments_with(report, life)).at("moments");
  if (!life.is_gone) return out;
  out["gone"] = true;
  if (const auto& by = life.evicted_for)
    out["evictedFor"] = json::object{{"namespace", by->ns}, {"name", by->name}};
  return out;
}

json::object words_json(const explain::ReportStatus& status, const std::string& ns, const Asked& asked) {
  const auto report = report_of(status, ns, true);
  auto out = words_json(report);
  if (report.status.answer) add_answer(report, asked, out);
  return out;
}

json::object line_words_json(const explain::ReportStatus& status) {
  json::object out{{"reason", printable(blocked_by(status))}};
  put(out, "missing", printable(nearest_miss(status)));
  return out;
}

}  // namespace podium::render
