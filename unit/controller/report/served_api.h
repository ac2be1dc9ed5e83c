// Base fixture of controller tests: an in-memory API server, a client, and the loop that both run on.
// A test's fixture derives from it and has the controller under test as a member.
#pragma once

#include <boost/asio/io_context.hpp>
#include <string>
#include <utility>
#include <vector>

#include "client/api.h"
#include "unit/client/object_server.h"
#include "unit/scheduler/config/default_config.h"

namespace podium::unit {

using Lines = std::vector<std::string>;

inline const std::string kPlural = "schedulingreports";

struct ServedApi {
  // A report or a what-if in namespace shop; null if there is none.
  boost::json::value report(const std::string& name) const { return server.find(kPlural, "shop", name); }

  ManualClock clock;
  FixedRandom random;
  ObjectServer server;
  boost::asio::io_context io;
  client::Api api{server.transport, clock, random};
};

}  // namespace podium::unit
