// TransportTest: a transport and a scripted server.
#pragma once

#include <gtest/gtest.h>

#include "client/http/transport.h"
#include "unit/client/client_loop.h"
#include "unit/support/http_script.h"

namespace podium::client {

class TransportTest : public testing::Test {
 protected:
  ClientLoop loop_;
  unit::HttpScript server_;

  ScopedTransport connect(TransportLimits limits = {}) { return {loop_, config_for(server_.url()), limits}; }
};

}  // namespace podium::client
