#include "app/report_api/refusals.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <utility>

#include "controller/what_if/turns.h"
#include "server/status.h"

namespace podium::app::report_api {

using server::Reply;
using server::status_reply;
using server::UserLimits;

Reply with_header(Reply reply, const char* header, std::string value) {
  reply.headers.emplace_back(header, std::move(value));
  return reply;
}

Reply unavailable(std::string message) {
  return with_header(status_reply(503, std::move(message)), "Retry-After", "1");
}

Reply stopping() { return unavailable("this process is stopping"); }

Reply not_synced(const std::vector<std::string>& missing) {
  return unavailable(fmt::format("not synced with the API server: {}", fmt::join(missing, ", ")));
}

Reply no_thread() { return with_header(status_reply(504, controller::kNoThread), "Retry-After", "5"); }

Reply too_many(const UserLimits::Admission& refused) {
  return with_header(status_reply(429, refused.why), "Retry-After",
                     std::to_string(refused.retry_after.count()));
}

Reply too_many_in_progress(const char* whose) {
  return with_header(status_reply(429, fmt::format("too many requests of {} are in progress", whose)),
                     "Retry-After", "1");
}

Reply refusal_of(const server::AccessDecision& decision) {
  if (decision.refusal->status != 403 || decision.user.name != server::anonymous().name)
    return *decision.refusal;
  return with_header(status_reply(401, "Unauthorized"), "WWW-Authenticate", "Bearer");
}

std::optional<Reply> wrong_name(const char* what, const std::string& name,
                                const std::vector<std::string>& errors) {
  if (errors.empty()) return std::nullopt;
  return status_reply(400, fmt::format("{} {:?}: {}", what, name, errors.front()));
}

}  // namespace podium::app::report_api
