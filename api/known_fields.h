// Which fields an API object may have: for manifests, where a misspelt field would silently mean another pod.
//
// Threads: pure functions; the table is read once.
#pragma once

#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace podium::api::detail {

// The path of the first field of `object` that its kind does not have, as "spec.colour" or
// "spec.containers[0].imagee"; nothing where all are known or the kind is not.
std::optional<std::string> first_unknown_field(const boost::json::value& object, std::string_view kind);

}  // namespace podium::api::detail
