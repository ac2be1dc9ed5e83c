#include "server/path_pattern.h"

#include <algorithm>
#include <boost/url/pct_string_view.hpp>

namespace podium::server {
namespace {

std::vector<std::string> segments_of(std::string_view path) {
  std::vector<std::string> out;
  for (std::size_t begin = 0; begin <= path.size();) {
    const auto end = std::min(path.find('/', begin), path.size());
    out.emplace_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

bool is_parameter(std::string_view segment) { return segment.starts_with('{'); }

}  // namespace

Result<std::string> percent_decode(std::string_view text) {
  const auto encoded = boost::urls::make_pct_string_view({text.data(), text.size()});
  if (!encoded) return invalid("'%' needs two hexadecimal digits");
  return encoded->decode();
}

PathPattern::PathPattern(std::string_view pattern) : text_(pattern), segments_(segments_of(pattern)) {}

std::optional<Result<std::vector<std::string>>> PathPattern::match(std::string_view path) const {
  const auto given = segments_of(path);
  if (given.size() != segments_.size()) return std::nullopt;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (!is_parameter(segments_[i]) && segments_[i] != given[i]) return std::nullopt;
  }
  std::vector<std::string> values;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (!is_parameter(segments_[i])) continue;
    auto value = percent_decode(given[i]);
    if (!value) return Result<std::vector<std::string>>(std::unexpected(value.error()));
    values.push_back(std::move(*value));
  }
  return Result<std::vector<std::string>>(std::move(values));
}

}  // namespace podium::server
