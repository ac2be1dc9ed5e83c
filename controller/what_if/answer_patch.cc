#include "controller/what_if/answer_patch.h"

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "client/api.h"
#include "controller/report/ttl.h"

namespace podium::controller {

namespace json = boost::json;

Asked asked_of(const ReportText& report) {
  return {std::string(report.ns), std::string(report.name), std::string(report.uid), report.generation};
}

AnswerPatch make_patch(const Asked& asked, ReportStatus status, Wall now, std::chrono::seconds ttl,
                       Steady asked_at) {
  status.decided_at = now;
  if (ttl < kKept) status.expires_at = now + ttl;
  status.observed_generation = asked.generation;
  for (auto& condition : status.conditions) condition.since = now;
  const json::object patch{{"metadata", {{"uid", asked.uid}}}, {"status", to_merge_patch(status)}};
  const bool refused = status.outcome == kRefused;
  const auto reason = status.conditions.empty() ? std::string() : status.conditions.front().reason;
  return {.name = asked.name,
          .uid = asked.uid,
          .expires = now + ttl,
          .patch = json::serialize(patch),
          .result = refused ? reason : status.outcome,
          .refused = refused,
          .asked_at = asked_at};
}

client::Request patch_request(const std::string& ns, const AnswerPatch& answer) {
  client::Request request;
  request.method = "PATCH";
  request.target =
      client::resource::scheduling_reports.path(ns, answer.name, "status") + "?fieldManager=podium";
  request.content_type = "application/merge-patch+json";
  request.accept = client::kBriefReply;
  request.body = answer.patch;
  request.timeout = kAnswerTimeout;
  return request;
}

Outcome outcome_of_failure(const Error& error) {
  if (error.kind == Error::Kind::unavailable) return Outcome::retry_all;
  switch (error.code) {
    case 401:
    case 429:
    case 503:
      return Outcome::retry_all;
    case 400:
    case 404:  // the report is gone; the watch will deliver the delete
    case 409:
    case 413:
    case 422:
      return Outcome::retry;
    default:  // such as a policy or a webhook of the namespace
      return Outcome::retry_namespace;
  }
}

}  // namespace podium::controller
