#include "app/kubectl/podium_port.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <chrono>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "api/text/json_view.h"
#include "api/text/parse_json.h"
#include "client/auth/client_config.h"
#include "client/auth/url.h"

namespace podium::kubectl {
namespace {

namespace asio = boost::asio;

constexpr std::chrono::seconds kAnswerWithin{10};

Result<void> check(const PodiumAddress& address) {
  if (address.is_url()) {
    if (address.where.starts_with("https://")) return {};
    return invalid("--podium: the address must begin with https://, since your credentials go there");
  }
  const auto slash = address.where.find('/');
  if (slash == 0 || slash == std::string::npos || slash + 1 == address.where.size())
    return invalid(fmt::format("--podium: {:?} is neither NAMESPACE/NAME nor an address", address.where));
  if (!address.ca_file.empty() || address.insecure)
    return invalid("--podium-ca and --podium-insecure need an address: --podium https://…");
  return {};
}

// kubectl's flags for the same cluster and user. `pod`: instead of the Service.
std::vector<std::string> forward_arguments(const ConnectionFlags& connection, const std::string& pod) {
  const auto& address = connection.podium;
  const auto slash = address.where.find('/');
  std::vector<std::string> out{"port-forward",
                               "--address=127.0.0.1",
                               "-n",
                               address.where.substr(0, slash),
                               pod.empty() ? "service/" + address.where.substr(slash + 1) : "pod/" + pod,
                               ":10259"};
  const auto& config = connection.config_flags;
  for (const auto& [flag, value] :
       {std::pair("--context=", config.context), std::pair("--user=", config.user),
        std::pair("--server=", config.server), std::pair("--token=", config.token),
        std::pair("--kubeconfig=", connection.kubeconfig)}) {
    if (!value.empty()) out.push_back(flag + value);
  }
  return out;
}

// The caller's credentials for podium's port instead of the API server's.
client::ClientConfig for_podium(client::ClientConfig config, const PodiumAddress& address,
                                std::uint16_t forwarded) {
  config.ca.clear();
  config.ca_file = address.ca_file;
  config.tls_server_name.clear();
  if (forwarded == 0) {
    config.server = address.where;
    config.insecure_skip_verify = address.insecure;
  } else {
    // The API server forwards to the pod; podium's certificate is its own unless configured otherwise.
    config.server = fmt::format("https://127.0.0.1:{}", forwarded);
    config.insecure_skip_verify = true;
  }
  return config;
}

Result<PodiumPort> forward_to(const client::ClientConfig& config, const ConnectionFlags& connection,
                              const std::string& pod, std::chrono::milliseconds within,
                              asio::io_context& io) {
  PodiumPort port;
  if (!connection.podium.is_url()) {
    auto started = PortForward::start(forward_arguments(connection, pod), within);
    if (!started) return std::unexpected(started.error());
    port.forward = std::move(*started);
  }
  const auto number = port.forward ? port.forward->port() : std::uint16_t{0};
  port.transport = client::make_transport(io.get_executor(), for_podium(config, connection.podium, number));
  return port;
}

client::Task<std::string> ask_for_leader(std::shared_ptr<client::Transport> podium, std::string ns) {
  client::Request request;
  request.target = fmt::format("/v1/namespaces/{}/decisions?limit=1", client::percent_encode(ns));
  request.timeout = kAnswerWithin;
  const auto got = co_await podium->send(std::move(request));
  if (!got || got->status != 503) co_return std::string();
  co_return leading_pod(got->body);
}

}  // namespace

std::string leading_pod(std::string_view status) {
  const auto parsed = api::parse_json(status);
  if (!parsed || api::text_at(*parsed, "/details/causes/0/reason") != "Leader") return {};
  auto identity = api::text_at(*parsed, "/details/causes/0/message");
  // POD_UNIQUE: upstream's form of an identity.
  return identity.substr(0, std::min(identity.rfind('_'), identity.size()));
}

Result<PodiumPort> open_podium_port(const ConnectionFlags& connection, std::chrono::milliseconds within,
                                    asio::io_context& io) {
  if (auto checked = check(connection.podium); !checked) return std::unexpected(checked.error());
  const auto& flags = connection.config_flags;
  if (!flags.impersonate.user.empty())
    return invalid("--as: podium's HTTPS API does not support impersonation");
  auto config = client::find_config(connection.kubeconfig, flags);
  if (!config) return std::unexpected(config.error());
  auto port = forward_to(*config, connection, {}, within, io);
  if (!port || !port->forward) return port;
  std::optional<std::string> leader;
  asio::co_spawn(io, ask_for_leader(port->transport, config->default_namespace),
                 [&leader](const std::exception_ptr&, std::string pod) { leader = std::move(pod); });
  io.restart();
  while (!leader && io.run_one() > 0) {
  }
  if (leader.value_or("").empty()) return port;
  // The name of a static pod differs from the identity of its process.
  auto direct = forward_to(*config, connection, *leader, within, io);
  if (!direct) return port;
  port->transport->close();
  return direct;
}

}  // namespace podium::kubectl
