// The wire form of a LIST: cut into its items before they are parsed, so that one that cannot be read is
// refused alone.
//
// Pure. Threads: none of its own. Errors: Kind::invalid where the reply is not a list.
#pragma once

#include <boost/json/storage_ptr.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace podium::client {

struct ListPage {
  std::string resource_version, token;  // token: of the next page; empty at the last
  std::vector<std::string_view> items;  // the text of each, in the body
};

Result<ListPage> cut_list(std::string_view body);

// What is left of an object whose text cannot be parsed: {apiVersion, kind, metadata}, each where it can be,
// without metadata.managedFields. Of a text that is cut short, what stands in its first part.
boost::json::value read_outline(std::string_view object, const boost::json::storage_ptr& storage);

// "namespace/name" of an object, for logs; as much of it as there is.
std::string name_of(const boost::json::value& object);

}  // namespace podium::client
