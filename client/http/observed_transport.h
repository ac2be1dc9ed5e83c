// A Transport that reports each finished request to an observer, for metrics.
//
// Requests that were not sent because the process does not lead (Kind::not_leader) are not reported.
// Threads: the observer is called where a request ends, possibly on several threads at the same time.
// Errors: those of the wrapped transport.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "base/clock.h"
#include "client/http/transport.h"

namespace podium::client {

struct Exchange {
  std::string_view method, target;
  int status = 0;  // 0: no reply came
  std::chrono::nanoseconds duration{};
  std::optional<int> retries;                               // Request::retries
  std::optional<std::size_t> request_bytes, reply_bytes{};  // body sizes; nullopt for streams
};

// Requests of one send_all() are reported one by one, each with the duration of the whole batch. A stream is
// reported once it is open.
std::shared_ptr<Transport> observe(std::shared_ptr<Transport> transport, const Clock& clock,
                                   std::function<void(const Exchange&)> observer);

}  // namespace podium::client
