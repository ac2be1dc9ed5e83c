// AnswerPatch: an answer that waits to be written, and the request that writes it.
//
// Threads: values and pure functions. Errors: none.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "base/clock.h"
#include "base/fair_queue_options.h"
#include "base/result.h"
#include "client/http/transport.h"
#include "controller/report/report.h"
#include "controller/what_if/report_text.h"

namespace podium::controller {

inline constexpr std::chrono::milliseconds kAnswerTimeout = std::chrono::seconds(10);  // per request

// Identifies a report and the generation of its spec.
struct Asked {
  std::string ns, name, uid;
  std::int64_t generation = 0;
};
Asked asked_of(const ReportText& report);

// The patch carries the UID, so that a report recreated meanwhile is not touched.
struct AnswerPatch {
  std::string name, uid;
  Wall expires{};
  std::string patch;
  std::string result;  // as WhatIfEnd's
  bool refused = false;
  Steady asked_at{};
  std::size_t bytes = 0;  // of the report without this answer
};

AnswerPatch make_patch(const Asked& asked, ReportStatus status, Wall now, std::chrono::seconds ttl,
                       Steady asked_at);
client::Request patch_request(const std::string& ns, const AnswerPatch& answer);

// What a failed request backs off: the item, its namespace, or everything.
Outcome outcome_of_failure(const Error& error);

}  // namespace podium::controller
