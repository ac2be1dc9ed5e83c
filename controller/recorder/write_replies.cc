#include "controller/recorder/write_replies.h"

#include "api/text/json_view.h"
#include "base/time.h"
#include "client/request_errors.h"
#include "controller/report/metadata.h"
#include "explain/report/report_labels.h"

namespace podium::controller {

namespace json = boost::json;

bool is_of(const json::value& report, const std::string& pod_uid) {
  return api::text_at(report, "/spec/podRef/uid") == pod_uid && !api::is_true_at(report, "/spec/dryRun");
}

bool is_of_a_pod_of_this_name(const json::value& report, const std::string& pod) {
  return is_podiums_decision(report) && api::text_at(report, "/spec/podRef/name") == pod;
}

bool was_decided_after(const json::value& report, std::optional<Wall> decided_at) {
  const auto decided = parse_time(api::text_at(report, "/status/decidedAt"));
  return decided && decided_at && *decided > *decided_at;
}

WrittenReport written_before(const json::value& report) {
  WrittenReport out;
  out.name = api::text_at(report, "/metadata/name");
  out.uid = api::text_at(report, "/metadata/uid");
  out.version = api::text_at(report, "/metadata/resourceVersion");
  out.outcome = explain::label_at(report, explain::kOutcomeLabel);
  const auto expires = parse_expiry_minute(explain::label_at(report, explain::kExpiresLabel));
  out.labelled = expires.value_or(Wall{});
  out.is_complete = api::text_at(report, "/status/conditions/0/status") == "True";
  out.since = parse_time(api::text_at(report, "/status/conditions/0/lastTransitionTime")).value_or(Wall{});
  return out;
}

void stamp(WrittenReport& report, explain::ReportStatus& status) {
  const bool is_complete = !status.conditions.empty() && status.conditions.front().is_true;
  if (report.since == Wall{} || report.is_complete != is_complete)
    report.since = status.decided_at.value_or(Wall{});
  report.is_complete = is_complete;
  for (auto& condition : status.conditions) condition.since = report.since;
}

bool needs_labels(const WrittenReport& report, const explain::ReportStatus& status,
                  std::chrono::seconds ttl) {
  if (report.outcome != status.outcome) return true;
  return status.expires_at && lags(report.labelled, *status.expires_at, ttl);
}

// 409 and 422 may be about the name, NotFound about a report that was deleted, 413 and 422 about the size.
bool is_about_this_report(const Error& error) {
  const int code = error.status.code;
  const bool may_go_otherwise = code == 404 || code == 409 || code == 413 || code == 422;
  return may_go_otherwise && client::concern_of(error) == client::Concern::object;
}

async::Outcome backoff_of(const Error& error) {
  if (client::namespace_is_going(error)) return async::Outcome::failed;
  // For example, an admission plugin of the namespace that fails.
  if (error.status.code >= 500) return client::classify(error, async::Outcome::retry_namespace);
  return client::classify(error, client::is_conflict(error) ? async::Outcome::retry : async::Outcome::failed);
}

}  // namespace podium::controller
