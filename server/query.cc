#include "server/query.h"

#include <boost/url/params_encoded_view.hpp>
#include <boost/url/parse_query.hpp>

namespace podium::server {

Result<std::vector<std::pair<std::string, std::string>>> read_query(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> out;
  const auto parsed = boost::urls::parse_query(query);
  if (!parsed) return invalid("the query is not encoded correctly");
  if (query.empty()) return out;
  boost::urls::encoding_opts as_form;
  as_form.space_as_plus = true;
  for (const auto& one : boost::urls::params_encoded_view(*parsed))
    out.emplace_back(one.key.decode(as_form), one.value.decode(as_form));
  return out;
}

}  // namespace podium::server
