// podium's answer to a question that a test of kube-scheduler asks one of its plugins, in the form of what
// was recorded there (overlay/recorder).
//
// Errors: questions that cannot be read. Threads: pure functions.
#pragma once

#include <boost/json/object.hpp>

#include "base/result.h"

namespace podium::tables {

Result<boost::json::object> answer(const boost::json::object& question);

}  // namespace podium::tables
