// A Transport that tells of each request that another one has done, for metrics. One that was not sent for
// want of the right to write is none.
//
// Threads: the observer is called wherever a request ends, maybe on several threads at once. Errors: the
// other's.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "base/clock.h"
#include "client/http/transport.h"

namespace podium::client {

struct Exchange {
  std::string_view method;
  int status = 0;  // 0: no reply came
  std::chrono::nanoseconds duration{};
  std::optional<int> retries;                               // as the request said
  std::optional<std::size_t> request_bytes, reply_bytes{};  // of the bodies; those of streams are not told
};

// Requests that go out together are told of one by one, each with the time until all had their replies. Of a
// stream it is told when it is open.
std::shared_ptr<Transport> observe(std::shared_ptr<Transport> transport, const Clock& clock,
                                   std::function<void(const Exchange&)> observer);

}  // namespace podium::client
