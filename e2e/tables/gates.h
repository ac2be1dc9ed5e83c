// The feature gates that a question was recorded with.
#pragma once

#include <boost/json/object.hpp>

#include "scheduler/framework/features.h"

namespace podium::tables {

// The gates that podium supports; others keep their defaults.
framework::Features features_of(const boost::json::object& question);

}  // namespace podium::tables
