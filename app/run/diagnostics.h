// DiagnosticsServer: what podium answers over HTTPS: health for probes, metrics for Prometheus, the
// configuration in force.
//
//   /healthz /livez   that the process lives: the strand answers, the election goes on
//   /readyz           that it can schedule, too
//   /metrics          figures; those that nobody counts as they come are brought up to date on the strand, so
//                     that a scrape sees one moment
//   /metrics/resources what pods ask for; empty where this process does not lead, as kube-scheduler's
//   /metrics/slis     how the health checks went
//   /configz          the configuration, without secrets
//
// Who may ask for what is decided by Delegation. A scrape blocks neither the I/O thread nor the strand: the
// strand copies figures and pointers, a thread of the server's own puts the text together.
// Owner: Process. Threads: everything on the I/O executor, listen() also before it runs. The gate is empty
// and no thread runs the strand before it is destroyed.
// Errors: listen() names the flag or file that is wrong.
#pragma once

#include <prometheus/registry.h>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/json/value.hpp>
#include <functional>
#include <string>
#include <vector>

#include "app/run/health_metrics.h"
#include "app/run/heartbeat.h"
#include "async/gate.h"
#include "scheduler/cluster/pod_info.h"
#include "server/delegation.h"
#include "server/health.h"
#include "server/https_server.h"

namespace podium::app::run {

class DiagnosticsServer {
 public:
  // What it shows. All outlive it.
  struct Parts {
    async::Gate& gate;
    boost::asio::any_io_executor io, strand;
    Clock& clock;
    Random& random;
    server::ServerOptions options;
    server::DelegationOptions delegation;
    server::Delegation::Reviewers reviewers;
    std::vector<server::HealthCheck> live;   // of /healthz, /livez and /readyz, besides the strand's
    std::vector<server::HealthCheck> ready;  // of /readyz
    const boost::json::value& configuration;
    prometheus::Registry& registry;
    std::function<void()> refresh;                           // brings figures up to date; on the strand
    std::function<std::vector<cluster::PodInfoPtr>()> pods;  // on the strand; empty where it does not lead
    std::function<void(const Error&)> fatal;                 // the process cannot go on
  };
  explicit DiagnosticsServer(Parts parts);
  ~DiagnosticsServer();

  // The port; 0 where the options say that nothing is served.
  Result<std::uint16_t> listen();
  void close();  // nothing is served any more
  // Closes the connections to the reviewers. A transport that is closed cancels its token source, which
  // others may share: call it when these are done.
  void disconnect();

 private:
  using Route = async::Task<server::Reply> (*)(DiagnosticsServer*);

  static async::Task<server::Reply> answer(DiagnosticsServer* self, server::Request request);
  static async::Task<server::Reply> metrics(DiagnosticsServer* self);
  static async::Task<server::Reply> pod_resources(DiagnosticsServer* self);
  static async::Task<server::Reply> slis(DiagnosticsServer* self);
  static async::Task<server::Reply> configuration(DiagnosticsServer* self);
  static async::Task<server::Reply> text_of(DiagnosticsServer* self, std::function<std::string()> render);
  static Route route_of(const std::string& path);
  std::optional<server::Reply> health(const server::Request& request);
  server::Handler handler();

  const Parts parts_;
  HealthMetrics health_metrics_;
  Heartbeat heartbeat_;
  std::vector<server::HealthCheck> live_, ready_;
  server::Delegation delegation_;
  server::HttpsServer server_;
  boost::asio::thread_pool renderer_{1};
};

}  // namespace podium::app::run
