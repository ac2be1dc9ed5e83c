// Door: what podium answers over HTTPS: health and readiness for probes, metrics for Prometheus, the
// configuration in force.
//
// Figures that nobody counts as they come are brought up to date on the strand when somebody looks, so that a
// scrape sees one moment: what an event has brought is there once the event is counted.
// Threads: as HttpsServer; the strand is never waited for by itself.
#pragma once

#include <prometheus/registry.h>

#include <boost/asio/any_io_executor.hpp>
#include <boost/json/value.hpp>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "app/run/process_metrics.h"
#include "client/leader.h"
#include "controller/report_writer.h"
#include "controller/retention.h"
#include "scheduler/cycle/metrics.h"
#include "scheduler/cycle/scheduler.h"
#include "server/https_server.h"

namespace podium::app::run {

class Door {
 public:
  // What it tells of. All outlive it.
  struct Parts {
    boost::asio::any_io_executor io, strand;
    server::ServerOptions options;
    std::function<std::optional<std::string>()> why_not_ready;  // a line for each reason; nullopt: it is
                                                                // ready
    const boost::json::value& configuration;
    prometheus::Registry& registry;
    ProcessMetrics& process_metrics;
    cycle::Scheduler& scheduler;
    const std::optional<client::LeaderElector>& elector;
    const controller::ReportWriter& reports;
    const controller::Retention& retention;
  };
  explicit Door(Parts parts);

  Result<std::uint16_t> listen() { return server_.listen(); }
  void close() { server_.close(); }

 private:
  std::map<std::string, server::Handler> routes();
  server::Reply readiness() const;
  server::Reply metrics();
  server::Reply pod_resources();
  void refresh();  // on the strand

  const Parts parts_;
  prometheus::Family<prometheus::Gauge>& report_gauges_;
  prometheus::Gauge &written_, &dropped_, &failed_, &waiting_, &kept_;
  server::HttpsServer server_;
};

}  // namespace podium::app::run
