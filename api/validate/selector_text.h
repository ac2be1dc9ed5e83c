// Label selectors as a command line has them: "app=web,tier!=test,env in (prod, stage),!old,zone".
//
// Threads: pure functions. Errors: Kind::invalid, naming the part.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <string_view>

#include "api/values/labels.h"
#include "api/values/selector.h"
#include "base/result.h"

namespace podium::api {

// Source: apimachinery labels.Parse. An empty text selects everything.
Result<LabelSelector> parse_selector(std::string_view text);

// The selector as an object's JSON has it, with expressions only.
boost::json::object selector_json(const LabelSelector& selector);

// The labels of an object, as its JSON has them. What is not a text is left out.
Labels labels_of(const boost::json::value& object);

}  // namespace podium::api
