#include "app/kubectl/live_cluster.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <csignal>
#include <exception>

#include "api/text/json_view.h"
#include "api/text/parse_json.h"
#include "app/kubectl/ask.h"
#include "app/kubectl/eviction.h"
#include "app/kubectl/podium_port.h"
#include "app/kubectl/reports.h"
#include "async/nap.h"
#include "base/clock.h"
#include "base/random.h"
#include "client/auth/url.h"
#include "client/decode/watch_lines.h"
#include "controller/report/preempting_reports.h"
#include "explain/report/report_labels.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;
namespace asio = boost::asio;

constexpr std::chrono::milliseconds kBetweenWatches{100}, kBetweenLooks{100}, kLastBytes{200};
constexpr std::int64_t kReportsOfAPage = 250;
constexpr std::chrono::seconds kMemoryWithin{10};
constexpr std::chrono::seconds kMemoryOfGoneWithin{3};  // the name may be mistyped

client::TransportLimits few_connections() {
  client::TransportLimits limits;
  limits.connections = 2;
  return limits;
}

}  // namespace

Result<std::unique_ptr<LiveCluster>> LiveCluster::connect(const ConnectionFlags& connection) {
  // Otherwise the API server's warnings would go to standard output.
  spdlog::set_level(spdlog::level::off);
  const auto timeout = parse_timeout(connection.request_timeout);
  if (!timeout) return std::unexpected(timeout.error());
  auto config = client::find_config(connection.kubeconfig, connection.config_flags);
  if (!config) return std::unexpected(config.error());
  auto ns = connection.ns.empty() ? config->default_namespace : connection.ns;
  const MakeTransport make = [&](asio::any_io_executor executor) {
    return client::make_transport(std::move(executor), *config, few_connections());
  };
  auto cluster =
      std::make_unique<LiveCluster>(make, std::move(ns), *timeout, system_clock(), system_random());
  cluster->connection_ = connection;
  return cluster;
}

LiveCluster::LiveCluster(const MakeTransport& make, std::string ns, std::chrono::milliseconds timeout,
                         Clock& clock, Random& random)
    : transport_(make(io_.get_executor())),
      ns_(std::move(ns)),
      timeout_(timeout),
      clock_(clock),
      random_(random),
      api_(transport_, clock, random),
      deadline_(clock.now() + timeout) {}

LiveCluster::~LiveCluster() {
  signals_.reset();
  transport_->close();
  io_.restart();
  io_.run_for(kLastBytes);
}

template <typename T>
Result<T> LiveCluster::run(client::Task<Result<T>> task) {
  std::optional<Result<T>> result;
  std::exception_ptr fault;
  asio::co_spawn(io_, std::move(task), [&](std::exception_ptr thrown, Result<T> value) {
    fault = thrown;
    result = std::move(value);
  });
  io_.restart();
  while (!result && io_.run_one() > 0) {
  }
  if (fault) {
    try {
      std::rethrow_exception(fault);
    } catch (const std::exception& e) {
      return fail(Error::Kind::internal, e.what());
    }
  }
  if (!result) return fail(Error::Kind::internal, "the request did not end");
  return std::move(*result);
}

Result<std::chrono::milliseconds> LiveCluster::left() const {
  const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - clock_.now());
  if (time.count() > 0) return time;
  return fail(Error::Kind::timeout,
              fmt::format("no answer within {} s", std::chrono::duration<double>(timeout_).count()));
}

Result<json::value> LiveCluster::get(const client::Resource& resource, const std::string& ns,
                                     const std::string& name) {
  const auto time = left();
  if (!time) return std::unexpected(time.error());
  return run(api_.get(resource, ns, name, client::CallOptions{*time}));
}

Result<std::vector<json::value>> LiveCluster::list(const client::Resource& resource, const std::string& ns,
                                                   const client::ListOptions& options) {
  const auto time = left();
  if (!time) return std::unexpected(time.error());
  auto listed = run(api_.list(resource, ns, options, client::CallOptions{*time}));
  if (!listed) return std::unexpected(std::move(listed.error()));
  return std::move(listed->items);
}

client::Task<Result<json::value>> LiveCluster::send(std::shared_ptr<client::Transport> transport,
                                                    client::Request request) {
  auto response = co_await transport->send(std::move(request));
  if (!response) co_return std::unexpected(std::move(response.error()));
  if (response->status >= 300) {
    co_return std::unexpected(client::status_error(response->body, response->status));
  }
  co_return api::parse_object(response->body);
}

AdmittedPod LiveCluster::dry_run_pod(const std::string& ns, const json::value& pod) {
  return kubectl::dry_run_pod(*this, ns, pod);
}

Result<bool> LiveCluster::dry_run(const std::string& ns, const json::value& object) {
  return kubectl::dry_run(*this, ns, object);
}

Result<json::value> LiveCluster::ask(const std::string& ns, json::object spec, bool keep) {
  return kubectl::ask(*this, ns, std::move(spec), keep);
}

Result<std::optional<json::value>> LiveCluster::decision(const std::string& ns, const std::string& pod,
                                                         const std::string& uid) {
  return find_report(*this, ns, pod, uid);
}

Result<json::value> LiveCluster::ask_memory(const std::string& ns, const std::string& pod,
                                            std::chrono::milliseconds most) {
  auto time = left();
  if (!time) return std::unexpected(time.error());
  const auto port = open_podium_port(*connection_, std::min(*time, most), io_);
  if (!port) return std::unexpected(port.error());
  client::Request request;
  request.target = fmt::format("/v1/namespaces/{}/pods/{}/report?words=true", client::percent_encode(ns),
                               client::percent_encode(pod));
  time = left();
  if (!time) return std::unexpected(time.error());
  request.timeout = *time;
  auto got = run(send(port->transport, std::move(request)));
  port->transport->close();
  return got;
}

std::optional<Eviction> LiveCluster::remembered_eviction(const std::string& ns, const std::string& pod) {
  if (!connection_) return std::nullopt;
  const bool is_asked = memory_ && memory_->first == ns + "/" + pod;
  const auto got = is_asked ? memory_->second : ask_memory(ns, pod, kMemoryOfGoneWithin);
  return got ? eviction_of_words(*got) : eviction_of_causes(got.error());
}

Result<std::optional<json::value>> LiveCluster::remembered(const std::string& ns, const std::string& pod,
                                                           const std::string& uid) {
  using Found = std::optional<json::value>;
  if (!connection_) return Found();
  auto got = ask_memory(ns, pod, uid.empty() ? kMemoryOfGoneWithin : kMemoryWithin);
  memory_.emplace(ns + "/" + pod, got);
  if (!got && client::object_is_gone(got.error())) return Found();
  if (!got) return std::unexpected(std::move(got.error()));
  // An earlier pod of that name.
  if (!uid.empty() && api::text_at(*got, "/spec/podRef/uid") != uid) return Found();
  got->as_object().erase("words");
  return Found(std::move(*got));
}

std::optional<Eviction> LiveCluster::reported_eviction(const std::string& ns, const std::string& pod) {
  std::optional<Eviction> last;
  const std::function<bool(std::vector<json::value>)> see = [&](std::vector<json::value> page) {
    for (const auto& report : page) {
      auto found = eviction_in(report, ns, pod);
      if (found && (!last || found->when > last->when)) last = std::move(found);
    }
    return true;
  };
  for (const auto& where : {std::string(), ns}) {
    const auto time = left();
    if (!time) break;
    if (run(controller::list_preempting(api_, where, kReportsOfAPage, see, client::CallOptions{*time})))
      break;
  }
  return last;
}

Result<std::vector<json::value>> LiveCluster::unplaced_decisions(const std::string& ns) {
  client::ListOptions options;
  options.label_selector = explain::unplaced_decisions_selector();
  return list(client::resource::scheduling_reports, ns, options);
}

Result<json::value> LiveCluster::write(const std::string& method, const std::string& target,
                                       const json::value& body) {
  client::Request request;
  request.method = method;
  request.target = target;
  request.body = json::serialize(body);
  const auto time = left();
  if (!time) return std::unexpected(time.error());
  request.timeout = *time;
  return run(send(transport_, std::move(request)));
}

client::Task<Result<std::optional<json::value>>> LiveCluster::watch_once(
    std::string target, std::function<bool(const json::value&)> done, Steady deadline) {
  const auto left = [&] {
    return std::chrono::duration_cast<std::chrono::milliseconds>(deadline - clock_.now());
  };
  client::Request request;
  request.target = std::move(target);
  request.timeout = left();
  auto stream = co_await transport_->open(std::move(request));
  if (!stream) co_return std::unexpected(std::move(stream.error()));
  struct Attached {
    client::Stream*& slot;
    ~Attached() { slot = nullptr; }
  } attached{stream_};
  stream_ = stream->get();
  std::optional<json::value> found;
  client::LineSplitter lines;
  while (!interrupted_ && (*stream)->status() == 200 && left().count() > 0) {
    auto piece = co_await (*stream)->read(left());
    if (!piece || piece->empty()) break;
    lines.feed(*piece, [&](std::string_view line) {
      auto event = client::parse_watch_event(line, {});
      if (event && event->type != client::WatchEvent::Type::error && done(event->object)) {
        found = std::move(event->object);
      }
      return !found;
    });
    if (found) break;
  }
  (*stream)->close();
  co_return Result<std::optional<json::value>>(std::move(found));
}

client::Task<Result<json::value>> LiveCluster::watch(client::Resource resource, std::string ns,
                                                     std::string name,
                                                     std::function<bool(const json::value&)> done) {
  const Steady deadline = deadline_;
  for (;;) {
    const auto time = left();
    if (!time) co_return std::unexpected(time.error());
    // A GET first: the watch starts at its resourceVersion, so that no event is missed.
    client::CallOptions options{*time};
    auto object = co_await api_.get(resource, ns, name, options);
    if (!object || done(*object)) co_return std::move(object);
    std::string target =
        resource.path(ns) + "?watch=true&fieldSelector=metadata.name%3D" + client::percent_encode(name) +
        "&resourceVersion=" + client::percent_encode(api::text_at(*object, "/metadata/resourceVersion"));
    auto seen = co_await watch_once(std::move(target), done, deadline);
    if (seen && *seen) co_return Result<json::value>(std::move(**seen));
    if (interrupted_) co_return fail(Error::Kind::cancelled, kInterrupted);
    if (clock_.now() >= deadline) co_return fail(Error::Kind::timeout, "no answer in time");
    co_await async::nap(kBetweenWatches);
  }
}

Result<json::value> LiveCluster::wait_for(const client::Resource& resource, const std::string& ns,
                                          const std::string& name,
                                          std::function<bool(const json::value&)> done) {
  if (interrupted_) return fail(Error::Kind::cancelled, kInterrupted);
  return run(watch(resource, ns, name, std::move(done)));
}

client::Task<Result<bool>> LiveCluster::wait_until(Steady end) {
  while (!interrupted_ && clock_.now() < end) {
    co_await async::nap(std::min<std::chrono::nanoseconds>(kBetweenLooks, end - clock_.now()));
  }
  co_return !interrupted_;
}

bool LiveCluster::pause(std::chrono::milliseconds time) {
  catch_interrupts(true);
  // An early end is fine: the caller reads again.
  (void)run(wait_until(clock_.now() + time));
  start_timeout();
  return !interrupted_;
}

void LiveCluster::catch_interrupts(bool all) {
  if (signals_) return;
  signals_.emplace(io_, SIGINT, SIGTERM);
  signals_->async_wait([this, all](boost::system::error_code error, int) {
    if (error) return;
    interrupted_ = true;
    if (all) transport_->close();
    if (stream_) stream_->close();
  });
}

}  // namespace podium::kubectl
