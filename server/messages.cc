#include "server/messages.h"

#include <boost/url/params_encoded_view.hpp>
#include <boost/url/parse_query.hpp>

#include "async/nap.h"

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
  const auto parsed = boost::urls::parse_query(query);
  if (!parsed) return out;
  for (const auto& one : boost::urls::params_encoded_view(*parsed)) {
    if (one.key.decode() == parameter) out.push_back(one.value.decode());
  }
  return out;
}

bool Request::asks_for(std::string_view parameter) const { return !values(parameter).empty(); }

}  // namespace podium::server
