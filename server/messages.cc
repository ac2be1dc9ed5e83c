#include "server/messages.h"

#include "async/nap.h"
#include "server/query.h"

namespace podium::server {

async::Task<Result<std::string>> Request::no_body(std::size_t) {
  co_return Result<std::string>(std::string());
}

async::Task<bool> Request::nap(std::chrono::milliseconds time) {
  co_await async::nap(time);
  co_return true;
}

std::vector<std::string> Request::values(std::string_view parameter) const {
  std::vector<std::string> out;
  auto read = read_query(query);
  if (!read) return out;
  for (auto& [name, value] : *read) {
    if (name == parameter) out.push_back(std::move(value));
  }
  return out;
}

bool Request::asks_for(std::string_view parameter) const { return !values(parameter).empty(); }

}  // namespace podium::server
