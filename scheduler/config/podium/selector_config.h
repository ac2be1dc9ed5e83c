// Label selectors (metav1.LabelSelector) in a configuration file.
//
// Threads: pure functions. Errors: problems with the path, in the words of upstream's validation.
#pragma once

#include <boost/json/value.hpp>
#include <memory>
#include <string>

#include "scheduler/config/schema/file_problems.h"
#include "scheduler/config/schema/schema.h"

namespace podium::api {
struct LabelSelector;
}

namespace podium::config {

const Schema& label_selector_schema();

// Validates and decodes a selector that has the form of the schema. Null: there are problems.
std::shared_ptr<const api::LabelSelector> read_selector(const boost::json::value& selector,
                                                        const std::string& path, Problems& problems);

}  // namespace podium::config
