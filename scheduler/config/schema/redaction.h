// Removes secrets from a configuration before it is shown.
//
// Threads: pure functions.
#pragma once

#include <boost/json/value.hpp>

namespace podium::config {

// A copy without secrets: private keys, tokens, passwords, and the user part of URLs.
boost::json::value redacted(const boost::json::value& view);

}  // namespace podium::config
