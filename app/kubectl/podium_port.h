// PodiumPort: calls podium's HTTPS API with the caller's own credentials: through `kubectl port-forward` to
// its Service, or at an address.
//
// Owner: a command. Threads: one; open_podium_port() blocks it. Errors: Kind::invalid for wrong flags;
// Kind::unavailable, with kubectl's message.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "app/kubectl/connection_flags.h"
#include "app/kubectl/port_forward.h"
#include "base/result.h"
#include "client/http/transport.h"

namespace podium::kubectl {

struct PodiumPort {
  std::unique_ptr<PortForward> forward;  // null: an address
  std::shared_ptr<client::Transport> transport;
};

// Connects to the leader: only the leader has decisions, and a Service forwards to any of its pods. `within`:
// the time limit of each kubectl port-forward.
Result<PodiumPort> open_podium_port(const ConnectionFlags& connection, std::chrono::milliseconds within,
                                    boost::asio::io_context& io);

// The leading pod, from the Status of a process that does not lead; empty: unknown.
std::string leading_pod(std::string_view status);

}  // namespace podium::kubectl
