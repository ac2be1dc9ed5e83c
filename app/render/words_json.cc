#include "app/render/words_json.h"

#include <boost/json/array.hpp>
#include <string>
#include <utility>

#include "app/render/drain.h"
#include "app/render/fixes.h"
#include "app/render/nodes.h"
#include "app/render/pending.h"
#include "app/render/report.h"
#include "app/render/scores.h"
#include "app/render/what_if.h"
#include "app/render/why.h"
#include "app/render/words.h"

namespace podium::render {
namespace {

namespace json = boost::json;

json::array lines_of(std::string_view text) {
  json::array out;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    if (end > 0) out.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

void put(json::object& out, const char* name, std::string words) {
  if (!words.empty()) out[name] = std::move(words);
}

void put(json::object& out, const char* name, json::array words) {
  if (!words.empty()) out[name] = std::move(words);
}

json::array texts(const std::vector<std::string>& words) { return json::array(words.begin(), words.end()); }

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

json::array verdicts(const explain::ReportAnswer& answer) {
  json::array out;
  for (const auto& verdict : answer.verdicts) {
    const auto checks = checks_of(verdict, {});
    auto passes = texts(checks.amounts);
    for (const auto& words : checks.passes) passes.emplace_back(words);
    out.push_back(json::object{{"rejects", texts(checks.rejects)}, {"passes", std::move(passes)}});
  }
  return out;
}

json::array changes(const explain::ReportAnswer& answer) {
  json::array out;
  for (const auto& change : answer.changes) {
    json::array pods;
    for (const auto& pod : change.pods) pods.emplace_back(pod.node.empty() ? no_place(pod) : std::string());
    out.push_back(json::object{{"pods", std::move(pods)}});
  }
  return out;
}

void add_answer(const Report& report, json::object& out) {
  const auto& answer = answer_of(report);
  put(out, "room", lines_of(room_line(report)));
  json::array quotas;
  for (const auto& quota : answer.quotas) quotas.emplace_back(quota_line(quota, report.ns, answer.asked));
  put(out, "quotas", std::move(quotas));
  if (answer.first_failure) {
    const auto& failure = *answer.first_failure;
    out["firstFailure"] = json::object{{"rejections", rejections(failure.rejections)}};
  }
  put(out, "fixes", fixes(answer));
  put(out, "noFix", lines_of(no_fix_words(answer)));
  put(out, "verdicts", verdicts(answer));
  put(out, "changes", changes(answer));
  json::array blocked;
  for (const auto& nodes :
       answer.nodes_spare ? answer.nodes_spare->blocked : std::vector<explain::BlockedNodes>())
    blocked.emplace_back(blocked_words(nodes));
  put(out, "blocked", std::move(blocked));
}

}  // namespace

json::object words_json(const explain::ReportStatus& status, const std::string& ns, bool is_question) {
  Report report;
  report.ns = ns;
  report.is_question = is_question;
  report.status = status;
  make_printable(report);
  json::object out{{"blockedBy", blocked_by(report.status)}};
  if (report.status.choice) put(out, "choice", choice_words(report));
  put(out, "lead", lead(report));
  put(out, "decided", lines_of(decided_by(report)));
  put(out, "rejections", rejections(report.status.rejections));
  json::array history;
  for (const auto& attempt : report.status.history) history.emplace_back(attempt_words(attempt));
  put(out, "history", std::move(history));
  json::array gated;
  for (const auto& time : report.status.gated) gated.emplace_back(gated_words(time));
  put(out, "gated", std::move(gated));
  put(out, "selector", lines_of(selector_table(report.status.rejections, {})));
  if (report.status.answer) add_answer(report, out);
  return out;
}

json::object line_words_json(const explain::ReportStatus& status) {
  json::object out{{"reason", printable(blocked_by(status))}};
  put(out, "missing", printable(nearest_miss(status)));
  return out;
}

}  // namespace podium::render
