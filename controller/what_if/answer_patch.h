// AnswerPatch: an answer that waits to be written, and the requests that write it.
//
// Threads: values and pure functions. Errors: none.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "async/fair_queue_options.h"
#include "base/clock.h"
#include "base/result.h"
#include "client/http/transport.h"
#include "controller/report/report_requests.h"
#include "controller/what_if/asked.h"
#include "controller/what_if/refreshes.h"
#include "explain/report/report.h"

namespace podium::controller {

inline constexpr std::chrono::milliseconds kAnswerTimeout = std::chrono::seconds(10);  // per request

// The request for the status tests the UID, so that a recreated report is not touched, and the status that it
// replaces, so that one that takes effect late does not replace a newer answer (422). The request for the
// labels is for one version of the report: after another write it is refused (409).
struct AnswerPatch {
  std::string name, uid;
  std::string version;                 // of the report that the labels change
  std::int64_t generation = 0;         // of the spec that it answers
  std::optional<ReportLabels> labels;  // nullopt: they already match
  std::chrono::seconds ttl{0};
  Steady made{};             // the TTL runs from here on
  std::string status;        // its JSON text
  StatusMark before, after;  // the status that it replaces, and its own
  std::string result;        // as WhatIfEnd's
  bool refused = false;
  Steady asked_at{};
  std::size_t bytes = 0;                      // of the report without this answer
  std::optional<Refreshes::Numbers> numbers;  // nullopt: refused
  std::uint64_t content = 0;                  // answer_hash(), if the question is refreshed
  bool is_substitute = false;                 // of an answer that the API server refused
};

// The TTL of an answer (kKept: no expiry), and the time until the next one.
struct AnswerTerms {
  std::chrono::seconds ttl{0};
  std::chrono::seconds refresh{0};  // 0: never
  Steady asked_at{};

  bool refreshed() const { return refresh.count() > 0; }
};

AnswerPatch make_patch(const Asked& asked, explain::ReportStatus status, Wall now, const AnswerTerms& terms);
// Hash of an answer without its variable parts: the time and duration of the decision, the expiry, and the
// version of the cluster.
std::uint64_t answer_hash(explain::ReportStatus status);
// The labels first, if they change, and the status last: a reader of the outcome also sees matching labels.
// The last reply is to the status.
std::vector<client::Request> patch_requests(const std::string& ns, const AnswerPatch& answer);
// The request for the labels alone. Requires labels.
client::Request labels_request(const std::string& ns, const AnswerPatch& answer);
// Makes the next try of the labels for the version of the report as `stored`, unless its spec was edited.
void follow(AnswerPatch& answer, const std::optional<Asked>& stored);
// True if the labels are still to be written to the report as `stored`: it has others, and the same spec.
bool needs_labels(const AnswerPatch& answer, const Asked& stored);
// True if an answer whose labels were refused with this error counts as written. Label updates are not
// retried if the right is missing or a policy forbids them.
bool goes_without_labels(const Error& error);

// The scope of the backoff after a failed request: the item, its namespace, or everything.
async::Outcome outcome_of_failure(const Error& error);

}  // namespace podium::controller
