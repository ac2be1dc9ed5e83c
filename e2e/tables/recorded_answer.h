// podium's answer to a recorded question of kube-scheduler's plugin tests, in the recorder's form
// (overlay/recorder).
//
// Errors: questions that cannot be read. Threads: pure functions.
#pragma once

#include <boost/json/object.hpp>

#include "base/result.h"

namespace podium::tables {

Result<boost::json::object> answer(const boost::json::object& question);

}  // namespace podium::tables
