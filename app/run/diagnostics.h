// DiagnosticsServer: podium's HTTPS endpoints: health for probes, metrics for Prometheus, configuration.
//
//   /healthz /livez     liveness: the strand runs its tasks, the leader election makes progress
//   /readyz             readiness: also synced with the API server, and not shutting down
//   /metrics            metrics; gauges are updated on the strand first, so that a scrape is consistent
//   /metrics/resources  requests and limits of pods; empty without leadership, as in kube-scheduler
//   /metrics/slis       results of the health checks
//   /configz            the configuration, without secrets
//   /statusz /flagz     version, uptime and paths; the flags
//   /v1/…               decisions and what-ifs (app/report_api/report_api.h)
//   /openapi/v3         their OpenAPI document
//   /ui/                the page for browsers: files that are open to everybody (app/page/page.h)
//
// Delegation authenticates and authorizes requests. A scrape blocks neither the I/O thread nor the
// strand: the strand copies numbers and pointers, and a thread of the server renders the text.
//
// Owner: Process; before destruction the gate is empty and no thread runs the strand.
// Threads: all functions on the I/O executor, listen() also before it runs.
// Errors: listen() names the flag or file at fault.
#pragma once

#include <prometheus/registry.h>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/json/value.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/page/page.h"
#include "app/report_api/report_api.h"
#include "app/run/health_metrics.h"
#include "app/run/heartbeat.h"
#include "async/gate.h"
#include "base/clock.h"
#include "base/random.h"
#include "metrics/samples.h"
#include "scheduler/cluster/pod_info.h"
#include "server/delegation.h"
#include "server/health.h"
#include "server/https_server.h"

namespace podium::app::run {

class DiagnosticsServer {
 public:
  // Dependencies; all outlive the server.
  struct Parts {
    async::Gate& gate;
    boost::asio::any_io_executor io, strand;
    boost::asio::any_io_executor files;  // reads certificates that have changed
    Clock& clock;
    Random& random;
    server::ServerOptions options;
    server::DelegationOptions delegation;
    server::Delegation::Reviewers reviewers;
    std::vector<server::HealthCheck> live;   // for /healthz, /livez and /readyz, besides the strand's
    std::vector<server::HealthCheck> ready;  // for /readyz only
    const boost::json::value& configuration;
    const std::map<std::string, std::string>& flags;
    prometheus::Registry& registry;
    std::function<metrics::Samples()> sample;                // called on the strand
    std::function<std::vector<cluster::PodInfoPtr>()> pods;  // called on the strand; empty if not leading
    std::function<void(const Error&)> fatal;                 // called when the process cannot continue
    std::optional<report_api::ReportApi::Sources> reports;   // nullopt: the API for programs is not served
    bool page = false;                                       // serves the page
  };
  explicit DiagnosticsServer(Parts parts);
  ~DiagnosticsServer();

  // Returns the port; 0 if the options disable serving.
  Result<std::uint16_t> listen();
  void close();  // stops serving
  // Closes the connections to the reviewers. Closing a transport cancels its token source, which other
  // transports may share: call this after those have ended.
  void disconnect();

 private:
  using Route = async::Task<server::Reply> (*)(DiagnosticsServer*, server::Request);

  static async::Task<server::Reply> answer(DiagnosticsServer* self, server::Request request);
  static async::Task<server::Reply> metrics(DiagnosticsServer* self, server::Request request);
  static async::Task<server::Reply> pod_resources(DiagnosticsServer* self, server::Request request);
  static async::Task<server::Reply> slis(DiagnosticsServer* self, server::Request request);
  static async::Task<server::Reply> configuration(DiagnosticsServer* self, server::Request request);
  static async::Task<server::Reply> status(DiagnosticsServer* self, server::Request request);
  static async::Task<server::Reply> flags(DiagnosticsServer* self, server::Request request);
  static async::Task<server::Reply> openapi(DiagnosticsServer* self, server::Request request);
  static async::Task<server::Reply> text_of(DiagnosticsServer* self, std::function<std::string()> render);
  static const std::map<std::string, Route, std::less<>>& routes();
  std::optional<server::Reply> health(const server::Request& request);
  void observe_health(const std::string& endpoint, const std::string& check,
                      const std::optional<std::string>& why);
  server::Handler handler();

  const Parts parts_;
  std::shared_ptr<const metrics::Samples> samples_ = std::make_shared<metrics::Samples>();  // the last
  const Wall started_;
  HealthMetrics health_metrics_;
  std::set<std::string> failing_;  // checks, to log each change once
  Heartbeat heartbeat_;
  std::vector<server::HealthCheck> live_, ready_;
  server::Delegation delegation_;
  std::optional<report_api::ReportApi> report_api_;
  std::optional<page::Page> page_;
  server::HttpsServer server_;
  boost::asio::thread_pool renderer_{1};
};

}  // namespace podium::app::run
