// Converts objects of API versions that are no longer served to the version that podium reads.
//
// A dump of an older cluster has them. Threads: a pure function. Errors: none.
#pragma once

#include <boost/json/value.hpp>
#include <optional>
#include <string_view>

namespace podium::api::detail {

// An object of resource.k8s.io/v1beta1 as resource.k8s.io/v1; nullopt: it is of another version or kind.
std::optional<boost::json::value> as_served(const boost::json::value& object, std::string_view api_version,
                                            std::string_view kind);

}  // namespace podium::api::detail
