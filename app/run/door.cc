#include "app/run/door.h"

#include <prometheus/text_serializer.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <chrono>
#include <future>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "api/yaml.h"
#include "scheduler/cycle/pod_resources.h"

namespace podium::app::run {
namespace {

namespace asio = boost::asio;

constexpr std::chrono::milliseconds kScrapeWaits{200};
constexpr auto kMetricsType = "text/plain; version=0.0.4; charset=utf-8";

// What `ask` says on the strand; nullopt where the strand does not get to it in time, as at the end, when it
// has gone.
template <typename Ask>
auto ask_strand(const asio::any_io_executor& strand, Ask ask) -> std::optional<decltype(ask())> {
  auto answer = std::make_shared<std::promise<decltype(ask())>>();
  asio::post(strand, [answer, ask = std::move(ask)] { answer->set_value(ask()); });
  auto future = answer->get_future();
  if (future.wait_for(kScrapeWaits) != std::future_status::ready) return std::nullopt;
  return future.get();
}

}  // namespace

Door::Door(Parts parts)
    : parts_(std::move(parts)),
      report_gauges_(prometheus::BuildGauge()
                         .Name("podium_reports")
                         .Help("SchedulingReports: written, dropped (bounds, budget), failed (refused), "
                               "waiting to be written, kept.")
                         .Register(parts_.registry)),
      written_(report_gauges_.Add({{"state", "written"}})),
      dropped_(report_gauges_.Add({{"state", "dropped"}})),
      failed_(report_gauges_.Add({{"state", "failed"}})),
      waiting_(report_gauges_.Add({{"state", "waiting"}})),
      kept_(report_gauges_.Add({{"state", "kept"}})),
      server_(parts_.io, parts_.options, routes()) {}

std::map<std::string, server::Handler> Door::routes() {
  const auto ok = [] { return server::Reply{200, "ok"}; };
  return {{"/healthz", ok},
          {"/livez", ok},
          {"/readyz", [this] { return readiness(); }},
          {"/metrics", [this] { return metrics(); }},
          {"/metrics/resources", [this] { return pod_resources(); }},
          {"/configz",
           [this] { return server::Reply{200, api::to_json(parts_.configuration), "application/json"}; }}};
}

server::Reply Door::readiness() const {
  const auto why_not = parts_.why_not_ready();
  return why_not ? server::Reply{503, *why_not + "not ready\n"} : server::Reply{200, "ok"};
}

// Where the strand is busy or gone the last figures stand.
server::Reply Door::metrics() {
  ask_strand(parts_.strand, [this] {
    refresh();
    return true;
  });
  auto families = parts_.registry.Collect();
  std::ranges::move(ProcessMetrics::of_process(), std::back_inserter(families));
  return {200, prometheus::TextSerializer().Serialize(families), kMetricsType};
}

server::Reply Door::pod_resources() {
  const auto pods = ask_strand(parts_.strand, [this] { return parts_.scheduler.pods(); });
  if (!pods) return {503, "busy\n"};
  return {200, prometheus::TextSerializer().Serialize(cycle::pod_resources(*pods)), kMetricsType};
}

void Door::refresh() {
  parts_.scheduler.tell_metrics();
  if (parts_.elector) parts_.process_metrics.leads(parts_.elector->leading());
  const auto counts = parts_.reports.counts();
  written_.Set(static_cast<double>(counts.written));
  dropped_.Set(static_cast<double>(counts.dropped));
  failed_.Set(static_cast<double>(counts.failed));
  waiting_.Set(static_cast<double>(counts.waiting));
  kept_.Set(static_cast<double>(parts_.retention.size()));
}

}  // namespace podium::app::run
