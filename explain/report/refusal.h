// The answers to what-ifs that are not evaluated.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <array>
#include <string>

#include "base/error.h"
#include "explain/report/report.h"

namespace podium::explain {

inline constexpr const char* kInvalid = "Invalid";
inline constexpr const char* kTooManyQuestions = "TooManyQuestions";
inline constexpr const char* kTooManyRefreshed = "TooManyRefreshed";
inline constexpr const char* kDeadlineExceeded = "DeadlineExceeded";
inline constexpr const char* kMemoryExceeded = "MemoryExceeded";
inline constexpr const char* kAnswerNotTaken = "AnswerNotTaken";  // the API server refuses the answer itself

// All reasons of Accepted=False.
inline constexpr std::array kRefusalReasons{kInvalid,          kTooManyQuestions, kTooManyRefreshed,
                                            kDeadlineExceeded, kMemoryExceeded,   kAnswerNotTaken};

// The answer to an invalid request: outcome Refused, its findings, Accepted=False with all of them in a line,
// Complete=True with reason Refused.
ReportStatus refusal(const Error& error);
// The answer to a request that podium does not serve: outcome Refused, Accepted=False with `reason`, one of
// kRefusalReasons.
ReportStatus declined(const std::string& reason, const std::string& message);

ReportCondition report_condition(std::string type, bool is_true, std::string reason, std::string message);

}  // namespace podium::explain
