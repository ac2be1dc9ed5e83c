// Asked: one spec of a what-if, and podium's earlier writes on the report. Seen: a what-if in the form that
// the watch delivers.
//
// Threads: values and pure functions. Errors: none; a missing or malformed field reads as absent.
#pragma once

#include <boost/json/value.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "controller/report/report_requests.h"
#include "explain/question/report_text.h"
#include "explain/report/report.h"

namespace podium::controller {

// Identifies the status of a what-if: an answer replaces the one that was read with the question, no other.
// The API server compares JSON, in which an absent field equals null.
struct StatusMark {
  bool exists = false;
  std::string decided_at = "null", observed = "null";  // JSON texts: decidedAt, observedGeneration

  bool operator==(const StatusMark&) const = default;
};

// The labels and the status of an earlier answer.
struct AnsweredBefore {
  struct Condition {
    std::string type;
    bool is_true = false;
    std::string reason;
    std::optional<Wall> since;
  };
  std::string kind, outcome, expires;  // the labels
  std::vector<Condition> conditions;   // Accepted and Complete, if present
  StatusMark status = {};

  const Condition* condition(std::string_view type) const;  // null: there is none
};

// Identifies a report and the generation of its spec.
struct Asked {
  std::string ns, name, uid;
  std::int64_t generation = 0;
  AnsweredBefore before = {};
  std::string version = {};  // the resourceVersion with all of this

  bool is_complete() const { return generation > 0; }  // false: the report could not be read completely
};
Asked asked_of(const explain::ReportText& report);

// The fields of a watched report that decide whether it needs an answer. An oversized report may come
// with little more than its metadata.
struct Seen {
  explicit Seen(const boost::json::value& report);
  bool is_answered() const { return answered == asked.generation; }
  bool is_complete() const { return asked.is_complete(); }

  Asked asked;
  std::optional<std::int64_t> answered;
  std::string scheduler_name;
  std::chrono::seconds refresh{0};  // 0: answered once
  std::optional<Wall> decided_at;
};

// The report as a write has left it, without its status: the reply has only the metadata. nullopt: the reply
// is not JSON.
std::optional<Asked> read_reply(const std::string& reply);

// Sets the conditions' times. A condition keeps the time of its last transition between True and False.
void stamp(const AnsweredBefore& before, Wall now, explain::ReportStatus& status);

// True if the labels of the report must change. The expiry may lag by a tenth of the TTL, at least a minute,
// so that a rewritten answer seldom needs a request for its labels.
bool needs_labels(const AnsweredBefore& before, const ReportLabels& wanted, std::chrono::seconds ttl);

}  // namespace podium::controller
