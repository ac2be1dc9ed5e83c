// The bounds of the HTTPS API. docs/security.md and docs/operations.md have the figures, and
// unit/tidy/figures.py compares them.
//
// Threads: constants. Errors: none.
#pragma once

#include <chrono>
#include <cstddef>

#include "base/shares.h"
#include "server/user_limits.h"

namespace podium::app::report_api {

inline constexpr server::UserLimits::Options kReads{
    .per_second = 50, .burst = 100, .active = 8, .active_in_all = 16};
inline constexpr server::UserLimits::Options kQuestions{
    .per_second = 5, .burst = 20, .active = 4, .active_in_all = 32};
// For all users of a namespace together: a tenant can create accounts more easily than namespaces.
inline constexpr Shares::Bounds kQuestionsOfNamespace{.in_all = 24, .of_one = 6, .reserve = 8};

inline constexpr std::size_t kBodyBytes = 1024 * 1024;
// Bodies in progress. The server bounds those of an address, which many users may share.
inline constexpr Shares::Bounds kBodiesOfUser{.in_all = 16, .of_one = 4, .reserve = 4};
inline constexpr Shares::Bounds kBodiesOfNamespace{.in_all = 12, .of_one = 6, .reserve = 4};

// Requests that wait for changes: less than half of the connections, also of those of a peer.
inline constexpr Shares::Bounds kWaitsOfUser{.in_all = 24, .of_one = 4, .reserve = 8};
inline constexpr Shares::Bounds kWaitsOfPeer{.in_all = 24, .of_one = 12, .reserve = 8};
inline constexpr std::chrono::seconds kLongestWait{25};

// From the request: until a worker for what-ifs is free, and until the answer to a question.
inline constexpr std::chrono::seconds kThreadWithin{15}, kAnswerWithin{30};
inline constexpr std::size_t kMostReviewed = 32;  // namespaces of a question: up to two reviews each

}  // namespace podium::app::report_api
