#include "server/exchange.h"

#include <boost/url/params_encoded_view.hpp>
#include <boost/url/parse_query.hpp>

namespace podium::server {

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
