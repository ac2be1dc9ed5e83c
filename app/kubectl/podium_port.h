// PodiumPort: podium's HTTPS API, asked with the caller's own credentials: through `kubectl port-forward` to
// its Service, or at an address.
//
// Owner: a command. Threads: one; open_podium_port() blocks it. Errors: Kind::invalid for wrong flags;
// Kind::unavailable, with what kubectl says of it.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "app/kubectl/connection.h"
#include "app/kubectl/port_forward.h"
#include "base/result.h"
#include "client/http/transport.h"

namespace podium::kubectl {

struct PodiumPort {
  std::unique_ptr<PortForward> forward;  // null: an address
  std::shared_ptr<client::Transport> transport;
};

// A Service forwards to any of its pods, and only the leader has decisions: this connects to the leader.
// `within`: each kubectl port-forward.
Result<PodiumPort> open_podium_port(const Connection& connection, std::chrono::milliseconds within,
                                    boost::asio::io_context& io);

// The pod that leads, from the Status of a process that does not; empty: it names none.
std::string leading_pod(std::string_view status);

}  // namespace podium::kubectl
