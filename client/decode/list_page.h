// Splits a LIST reply into the text of its items, so one that cannot be decoded does not fail the list, and
// finds out whether its pages end.
//
// Pure. Threads: none of its own. Errors: Kind::invalid if the reply is not a list.
#pragma once

#include <boost/json/storage_ptr.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace podium::client {

struct ListPage {
  std::string resource_version, token;  // token: continue token; empty on the last page
  std::vector<std::string_view> items;  // each item's text; views into the body
};

Result<ListPage> split_list(std::string_view body);

// Whether a list that is read page by page comes to its end. A proxy that ignores the query returns the first
// page again and again.
class PageProgress {
 public:
  // A page with this continue token has arrived. has_news: it has objects that those before it did not have.
  // False: the list does not end.
  bool add(std::string_view token, bool has_news);
  static Error error();

 private:
  std::string token_;
  int without_news_ = 0;  // pages in a row
};

// {apiVersion, kind, metadata} of an object that cannot be parsed as a whole, as far as these can be,
// without metadata.managedFields. Reads a truncated text up to its end.
boost::json::value read_outline(std::string_view object, const boost::json::storage_ptr& storage);

// "namespace/name" of an object, for logs; absent parts are empty.
std::string name_of(const boost::json::value& object);

}  // namespace podium::client
