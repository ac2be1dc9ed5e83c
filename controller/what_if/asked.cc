#include "controller/what_if/asked.h"

#include <algorithm>
#include <boost/json/serialize.hpp>

#include "api/text/json_view.h"
#include "api/text/parse_json.h"
#include "base/time.h"
#include "controller/report/metadata.h"
#include "explain/question/question_limits.h"
#include "explain/report/report_labels.h"

namespace podium::controller {
namespace {

namespace json = boost::json;
using std::chrono::seconds;

void add_condition(std::string type, std::string_view status, std::string_view reason, std::string_view since,
                   AnsweredBefore& out) {
  if (status.empty() || out.condition(type)) return;
  out.conditions.push_back({std::move(type), status == "True", std::string(reason), parse_time(since)});
}

// A part of a text that was scanned only, as json::serialize() writes it.
std::string same_json(std::string_view text) {
  const auto value = api::parse_json(text);
  return json::serialize(value ? *value : json::value());
}

AnsweredBefore before_of(const json::value& report) {
  AnsweredBefore out{.kind = explain::label_at(report, explain::kReportLabel),
                     .outcome = explain::label_at(report, explain::kOutcomeLabel),
                     .expires = explain::label_at(report, explain::kExpiresLabel)};
  const auto* status = api::find_at(report, "/status");
  const auto text_of = [&](std::string_view field) {
    const auto* found = api::find_at(report, field);
    return json::serialize(found ? *found : json::value());
  };
  out.status = {.exists = status && status->is_object(),
                .decided_at = text_of("/status/decidedAt"),
                .observed = text_of("/status/observedGeneration")};
  const auto* conditions = api::find_at(report, "/status/conditions");
  if (!conditions || !conditions->is_array()) return out;
  for (const auto& each : conditions->get_array()) {
    auto type = api::text_at(each, "/type");
    if (type != "Accepted" && type != "Complete") continue;
    add_condition(std::move(type), api::text_at(each, "/status"), api::text_at(each, "/reason"),
                  api::text_at(each, "/lastTransitionTime"), out);
  }
  return out;
}

}  // namespace

const AnsweredBefore::Condition* AnsweredBefore::condition(std::string_view type) const {
  const auto found = std::ranges::find(conditions, type, &Condition::type);
  return found == conditions.end() ? nullptr : &*found;
}

Asked asked_of(const explain::ReportText& report) {
  Asked out{std::string(report.ns), std::string(report.name), std::string(report.uid), report.generation};
  out.version = report.version;
  out.before.kind = report.kind_label;
  out.before.outcome = report.outcome_label;
  out.before.expires = report.expires_label;
  out.before.status = {.exists = report.has_status,
                       .decided_at = same_json(report.decided_at),
                       .observed = same_json(report.observed)};
  add_condition("Accepted", report.accepted.status, report.accepted.reason, report.accepted.since,
                out.before);
  add_condition("Complete", report.complete.status, report.complete.reason, report.complete.since,
                out.before);
  return out;
}

Seen::Seen(const json::value& report)
    : asked{api::text_at(report, "/metadata/namespace"),
            api::text_at(report, "/metadata/name"),
            api::text_at(report, "/metadata/uid"),
            api::integer_at(report, "/metadata/generation").value_or(0),
            before_of(report),
            api::text_at(report, "/metadata/resourceVersion")},
      answered(api::integer_at(report, "/status/observedGeneration")),
      scheduler_name(api::text_at(report, "/spec/schedulerName")),
      refresh(std::clamp<std::int64_t>(api::integer_at(report, "/spec/refreshSeconds").value_or(0), 0,
                                       explain::kMostRefresh)),
      decided_at(parse_time(api::text_at(report, "/status/decidedAt"))) {}

std::optional<Asked> read_reply(const std::string& reply) {
  const auto stored = api::parse_json(reply);
  return stored ? std::optional(Seen(*stored).asked) : std::nullopt;
}

void stamp(const AnsweredBefore& before, Wall now, explain::ReportStatus& status) {
  for (auto& condition : status.conditions) {
    const auto* was = before.condition(condition.type);
    const bool stays = was && was->is_true == condition.is_true && was->since && *was->since <= now;
    condition.since = stays ? *was->since : now;
    condition.observed_generation = status.observed_generation;
  }
}

bool needs_labels(const AnsweredBefore& before, const ReportLabels& wanted, seconds ttl) {
  if (before.kind != wanted.kind || before.outcome != wanted.outcome) return true;
  if (!wanted.expires) return !before.expires.empty();
  const auto labelled = parse_expiry_minute(before.expires);
  if (!labelled) return true;
  return lags(*labelled, *wanted.expires, ttl) || lags(*wanted.expires, *labelled, ttl);
}

}  // namespace podium::controller
