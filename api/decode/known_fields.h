// The fields that API objects may have, and their types, to find faults of manifests.
//
// Threads: pure functions; the table is parsed once.
#pragma once

#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace podium::api::detail {

// The path of the first unknown field, such as "spec.colour" or "spec.containers[0].imagee". nullopt: all
// fields are known, or the kind is not.
std::optional<std::string> first_unknown_field(const boost::json::value& object, std::string_view kind);

// The first ones, in the order of the document.
std::vector<std::string> unknown_fields(const boost::json::value& object, std::string_view kind,
                                        std::size_t most = 10);

// A field whose value has another type than the API's, such as "spec.replicas" and "expected an integer, got
// a string". Decoders say the same of the fields that podium reads.
struct WrongType {
  std::string path, reason;
};
std::vector<WrongType> wrong_types(const boost::json::value& object, std::string_view kind,
                                   std::size_t most = 10);

}  // namespace podium::api::detail
