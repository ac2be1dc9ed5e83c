// The differences between two configurations, as `podium config view` prints them.
//
// Threads: pure function. Errors: none.
#pragma once

#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <vector>

namespace podium::app {

// A value that differs; one of both is present. Entries of lists are named by their key:
// "profiles[default-scheduler].plugins".
struct ConfigChange {
  std::string path;
  std::optional<std::string> old_value, new_value;  // JSON without quotes around a text; nullopt: absent
};

std::vector<ConfigChange> config_changes(const boost::json::value& old_view,
                                         const boost::json::value& new_view);

}  // namespace podium::app
