// The replies of the HTTPS API to requests that it does not answer.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "server/access.h"
#include "server/messages.h"
#include "server/user_limits.h"

namespace podium::app::report_api {

server::Reply with_header(server::Reply reply, const char* header, std::string value);

// 503, with the time of a retry.
server::Reply unavailable(std::string message);
server::Reply stopping();
// `missing`: the caches that have not synced, as "kind: reason".
server::Reply not_synced(const std::vector<std::string>& missing);
// 504: no worker for what-ifs was free in time.
server::Reply no_thread();

// 429.
server::Reply too_many(const server::UserLimits::Admission& refused);
// `whose`: "this namespace".
server::Reply too_many_in_progress(const char* whose);

// The reply that refuses the request. A client without credentials gets 401, unless the cluster admits
// anonymous users.
server::Reply refusal_of(const server::AccessDecision& decision);
// 400 if the name has these errors; nullopt: it has none. `what`: "pod".
std::optional<server::Reply> wrong_name(const char* what, const std::string& name,
                                        const std::vector<std::string>& errors);

}  // namespace podium::app::report_api
