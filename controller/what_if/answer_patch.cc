#include "controller/what_if/answer_patch.h"

#include <fmt/format.h>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <functional>

#include "base/check.h"
#include "base/time.h"
#include "client/api.h"
#include "client/request_errors.h"
#include "controller/report/metadata.h"
#include "explain/report/json.h"
#include "explain/report/ttl.h"

namespace podium::controller {

namespace json = boost::json;

namespace {

std::optional<Refreshes::Numbers> numbers_of(const explain::ReportStatus& status) {
  if (!status.answer) return std::nullopt;
  const auto asked = status.answer->asked, fitting = status.answer->fitting;
  Refreshes::Numbers out{.fitting = fitting, .unplaced = asked - std::min(asked, fitting)};
  if (const auto& wanted = status.answer->nodes_wanted) {
    out.nodes_wanted = wanted->nodes_total;
  }
  if (const auto& spare = status.answer->nodes_spare) out.nodes_spare = spare->nodes_total;
  return out;
}

// Steps of a JSON patch.
std::string test_of(const StatusMark& before) {
  if (!before.exists) return R"({"op":"test","path":"/status","value":null})";
  return fmt::format(R"({{"op":"test","path":"/status/decidedAt","value":{}}},)"
                     R"({{"op":"test","path":"/status/observedGeneration","value":{}}})",
                     before.decided_at, before.observed);
}

// In a merge patch of a status, the API server ignores the UID.
std::string status_patch(const AnswerPatch& answer) {
  return fmt::format(R"([{{"op":"test","path":"/metadata/uid","value":{}}},{},)"
                     R"({{"op":"add","path":"/status","value":{}}}])",
                     json::serialize(json::value(answer.uid)), test_of(answer.before), answer.status);
}

}  // namespace

AnswerPatch make_patch(const Asked& asked, explain::ReportStatus status, Wall now, const AnswerTerms& terms) {
  const auto ttl = terms.ttl;
  const auto content = terms.refreshed() ? answer_hash(status) : 0;
  status.decided_at = now;
  if (ttl < explain::kKept) status.expires_at = now + ttl;
  status.observed_generation = asked.generation;
  stamp(asked.before, now, status);
  auto labels = labels_of(status, explain::kQuestion);
  const bool relabels = needs_labels(asked.before, labels, ttl);
  const bool refused = status.outcome == explain::kRefused;
  const auto numbers = numbers_of(status);
  const auto reason = status.conditions.empty() ? std::string() : status.conditions.front().reason;
  return {.name = asked.name,
          .uid = asked.uid,
          .version = asked.version,
          .generation = asked.generation,
          .labels = relabels ? std::optional(std::move(labels)) : std::nullopt,
          .ttl = ttl,
          .made = {},
          .status = explain::to_text(status),
          .before = asked.before.status,
          .after = {.exists = true,
                    .decided_at = fmt::format("\"{}\"", format_time(now)),
                    .observed = std::to_string(asked.generation)},
          .result = refused ? reason : status.outcome,
          .refused = refused,
          .asked_at = terms.asked_at,
          .numbers = numbers,
          .content = content};
}

std::uint64_t answer_hash(explain::ReportStatus status) {
  status.decided_at.reset();
  status.expires_at.reset();
  status.evaluate = {};
  status.pods_version = 0;
  return std::hash<std::string>{}(explain::to_text(status));
}

client::Request labels_request(const std::string& ns, const AnswerPatch& answer) {
  PODIUM_CHECK(answer.labels);
  return label_report(ns, answer.name, answer.uid, *answer.labels, answer.version);
}

std::vector<client::Request> patch_requests(const std::string& ns, const AnswerPatch& answer) {
  std::vector<client::Request> requests;
  if (answer.labels) requests.push_back(labels_request(ns, answer));
  client::Request request;
  request.method = "PATCH";
  request.target = client::resource::scheduling_reports.path(ns, answer.name, "status") +
                   "?fieldManager=" + client::kFieldManager;
  request.content_type = "application/json-patch+json";
  request.accept = client::kBriefReply;
  request.body = status_patch(answer);
  request.timeout = kAnswerTimeout;
  requests.push_back(std::move(request));
  return requests;
}

void follow(AnswerPatch& answer, const std::optional<Asked>& stored) {
  if (stored && stored->generation == answer.generation && !stored->version.empty())
    answer.version = stored->version;
}

bool needs_labels(const AnswerPatch& answer, const Asked& stored) {
  return answer.labels && stored.generation == answer.generation &&
         needs_labels(stored.before, *answer.labels, answer.ttl);
}

bool goes_without_labels(const Error& error) {
  const int code = error.status.code;
  return client::is_answer(error) && (code == 401 || code == 403 || code == 422);
}

async::Outcome outcome_of_failure(const Error& error) {
  // The report is probably gone. The watch delivers that, and the retry is then forgotten.
  const bool is_of_namespace = client::concern_of(error) == client::Concern::of_namespace;
  if (client::is_not_found(error) && !is_of_namespace) return async::Outcome::retry;
  switch (error.status.code) {
    case 400:
    case 409:
    case 413:
    case 422:
      return client::classify(error, async::Outcome::retry);
    default:  // for example, a policy or a webhook of the namespace
      return client::classify(error, async::Outcome::retry_namespace);
  }
}

}  // namespace podium::controller
