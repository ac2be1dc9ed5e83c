// The names of the time zones that a CronJob may have: those of the IANA database 2025c, also the old ones.
//
// An API server knows those of its own build. Zones of later databases are missing here.
//
// Threads: pure functions. Errors: none. Source: https://www.iana.org/time-zones
#pragma once

#include <string_view>

namespace podium::explain {

bool is_time_zone(std::string_view name);  // "Europe/Berlin", "UTC"

}  // namespace podium::explain
