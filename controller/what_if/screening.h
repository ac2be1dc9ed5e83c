// Screening: what happens to a what-if before it is evaluated. Decides the terms of its answer, gives it a
// place if it is refreshed, and refuses it if its spec is wrong or too many are kept or refreshed.
//
// Owner: WhatIfController. Threads: any, one call for each key at a time. Errors: a refusal is an answer.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/clock.h"
#include "controller/retention/retention.h"
#include "controller/what_if/answer_patch.h"
#include "controller/what_if/refreshes.h"
#include "controller/what_if/what_if_reader.h"

namespace podium::controller {

struct Screened {
  AnswerTerms terms;
  std::optional<AnswerPatch> refusal = std::nullopt;  // nullopt: to be evaluated
  bool is_refused_already = false;                    // the status says so: nothing is written
};

class Screening {
 public:
  // `ttl`: of refusals, so that each of them expires.
  Screening(const Clock& clock, const Retention& retention, Refreshes& refreshes, std::chrono::seconds ttl)
      : clock_(clock), retention_(retention), refreshes_(refreshes), ttl_(ttl) {}

  // Takes or gives up the question's place among the refreshed ones, which `key` identifies. A question that
  // is refused since too many are kept becomes an error in `read`.
  Screened admit(const std::string& key, Steady asked_at, ReadWhatIf& read) const;

 private:
  // True if it does not expire, and there is no room for another one that does not.
  bool keeps_too_long(const ReadWhatIf& read) const;

  const Clock& clock_;
  const Retention& retention_;
  Refreshes& refreshes_;
  const std::chrono::seconds ttl_;
};

// The size that the budgets count for a report.
std::uint32_t size_of_report(std::size_t bytes);

}  // namespace podium::controller
