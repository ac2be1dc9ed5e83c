// run_for(): lets an io_context do what is due within a span of virtual time.
//
// Threads: the context's and the time's, which is one. Errors: none.
#pragma once

#include <boost/asio/io_context.hpp>

#include "async/virtual_time.h"

namespace podium::unit {

// Returns early where no timer is left within the span; what became ready last has run.
inline void run_for(boost::asio::io_context& io, async::VirtualTime& time, Steady::duration span) {
  const auto end = time.now() + span;
  do {
    io.restart();
    io.poll();
  } while (time.now() < end && time.advance(end - time.now()));
  io.restart();
  io.poll();
}

}  // namespace podium::unit
