#include "app/run/diagnostics.h"

#include <prometheus/text_serializer.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "api/text/yaml.h"
#include "app/run/call_on.h"
#include "app/run/process_metrics.h"
#include "app/run/zpages.h"
#include "log/log.h"
#include "metrics/families.h"
#include "scheduler/config/schema/redaction.h"
#include "scheduler/cycle/pod_resources.h"

namespace podium::app::run {

using async::Task;
using server::Reply;
using server::Request;

namespace {

constexpr std::chrono::milliseconds kStrand{2'000}, kRendering{60'000};
constexpr auto kMetricsType = "text/plain; version=0.0.4; charset=utf-8";

using Pods = std::vector<cluster::PodInfoPtr>;

std::string metrics_text(prometheus::Registry& registry, const metrics::Samples& samples) {
  auto families = registry.Collect();
  std::ranges::move(metrics::to_families(samples), std::back_inserter(families));
  std::ranges::move(ProcessMetrics::of_process(), std::back_inserter(families));
  return prometheus::TextSerializer().Serialize(families);
}

std::string pod_resources_text(const Pods& pods) {
  return prometheus::TextSerializer().Serialize(cycle::pod_resources(pods));
}

template <typename T>
std::vector<T> joined(std::vector<T> first, const std::vector<T>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

server::ServerOptions with_probes(server::ServerOptions options) {
  options.probes = {"/healthz", "/livez", "/readyz"};
  return options;
}

}  // namespace

DiagnosticsServer::DiagnosticsServer(Parts parts)
    : parts_(std::move(parts)),
      started_(parts_.clock.wall()),
      heartbeat_(parts_.gate, parts_.io, parts_.strand, parts_.clock),
      live_(joined({{"ping", [] { return std::optional<std::string>(); }},
                    {"scheduling-strand", [this] { return heartbeat_.why_unhealthy(); }}},
                   parts_.live)),
      ready_(joined(live_, parts_.ready)),
      delegation_(parts_.gate, parts_.io, parts_.files, parts_.clock, parts_.random, parts_.reviewers,
                  parts_.delegation),
      server_(parts_.gate, parts_.io, parts_.files, parts_.clock, with_probes(parts_.options), handler()) {
  if (parts_.page) page_.emplace();
  if (!parts_.reports) return;
  const report_api::Admit admit = [this](Request request, server::Attributes what) {
    return delegation_.admit(std::move(request), std::move(what));
  };
  report_api_.emplace(*parts_.reports, admit, parts_.gate, parts_.clock, parts_.random);
}

DiagnosticsServer::~DiagnosticsServer() {
  renderer_.stop();
  renderer_.join();
}

server::Handler DiagnosticsServer::handler() {
  return [this](Request request) { return answer(this, std::move(request)); };
}

Result<std::uint16_t> DiagnosticsServer::listen() {
  if (parts_.options.listen.port == 0) return 0;
  if (auto loaded = delegation_.load(); !loaded) return std::unexpected(loaded.error());
  auto port = server_.listen();
  if (!port) return port;
  heartbeat_.start();
  delegation_.start(parts_.fatal);
  return port;
}

void DiagnosticsServer::close() { server_.close(); }

void DiagnosticsServer::disconnect() { delegation_.disconnect(); }

std::optional<Reply> DiagnosticsServer::health(const Request& request) {
  const server::HealthObserver observe = [this](const auto&... what) { observe_health(what...); };
  if (auto reply = server::health_reply("healthz", live_, request, observe)) return reply;
  if (auto reply = server::health_reply("livez", live_, request, observe)) return reply;
  return server::health_reply("readyz", ready_, request, observe);
}

// The reply of an endpoint omits the reason, because anyone may read it. The log has the reason.
void DiagnosticsServer::observe_health(const std::string& endpoint, const std::string& check,
                                       const std::optional<std::string>& why) {
  health_metrics_.observe(endpoint, check, !why);
  if (why && failing_.insert(check).second) {
    log::warn("health check failed check={} endpoint={} reason={:?}", check, endpoint, *why);
  } else if (!why && failing_.erase(check) > 0) {
    log::info("health check passes again check={} endpoint={}", check, endpoint);
  }
}

const std::map<std::string, DiagnosticsServer::Route, std::less<>>& DiagnosticsServer::routes() {
  static const std::map<std::string, Route, std::less<>> routes{
      {"/metrics", metrics},
      {"/metrics/resources", pod_resources},
      {"/metrics/slis", slis},
      {"/configz", configuration},
      {"/statusz", status},
      {"/flagz", flags},
      {report_api::kOpenApiPath, openapi},
  };
  return routes;
}

Task<Reply> DiagnosticsServer::answer(DiagnosticsServer* self, Request request) {
  if (self->report_api_ && report_api::ReportApi::serves(request.path))
    co_return co_await self->report_api_->answer(std::move(request));
  if (self->page_ && page::Page::serves(request.path)) co_return self->page_->answer(request);
  auto refused = co_await self->delegation_.refusal(request);
  if (refused) co_return std::move(*refused);
  if (request.method != "GET" && request.method != "HEAD") co_return Reply(405, "only GET and HEAD\n");
  auto healthy = self->health(request);
  if (healthy) co_return std::move(*healthy);
  const auto route = routes().find(request.path);
  if (route == routes().end()) co_return Reply(404, "404 page not found\n");
  co_return co_await route->second(self, std::move(request));
}

Task<Reply> DiagnosticsServer::text_of(DiagnosticsServer* self, std::function<std::string()> render) {
  auto text = co_await call_on<std::string>(self->renderer_.get_executor(), std::move(render), kRendering);
  if (!text) co_return Reply(503, "busy\n");
  co_return Reply(200, std::move(*text), kMetricsType);
}

// If the strand does not answer in time, serves the previous values.
Task<Reply> DiagnosticsServer::metrics(DiagnosticsServer* self, Request) {
  auto sampled = co_await call_on<metrics::Samples>(self->parts_.strand, self->parts_.sample, kStrand);
  if (sampled) self->samples_ = std::make_shared<const metrics::Samples>(std::move(*sampled));
  std::function<std::string()> render = [self, samples = self->samples_] {
    return metrics_text(self->parts_.registry, *samples);
  };
  co_return co_await text_of(self, std::move(render));
}

Task<Reply> DiagnosticsServer::pod_resources(DiagnosticsServer* self, Request) {
  std::function<Pods()> copy = self->parts_.pods;
  auto pods = co_await call_on<Pods>(self->parts_.strand, std::move(copy), kStrand);
  if (!pods) co_return Reply(503, "busy\n");
  auto shared = std::make_shared<const Pods>(std::move(*pods));
  std::function<std::string()> render = [shared = std::move(shared)] { return pod_resources_text(*shared); };
  co_return co_await text_of(self, std::move(render));
}

Task<Reply> DiagnosticsServer::slis(DiagnosticsServer* self, Request) {
  co_return Reply(200, self->health_metrics_.text(), kMetricsType);
}

Task<Reply> DiagnosticsServer::configuration(DiagnosticsServer* self, Request) {
  co_return Reply(200, api::to_json(config::redacted(self->parts_.configuration)), "application/json");
}

Task<Reply> DiagnosticsServer::status(DiagnosticsServer* self, Request request) {
  StatusPage page;
  page.started = self->started_;
  page.now = self->parts_.clock.wall();
  page.paths = {"/healthz", "/livez", "/readyz"};
  for (const auto& [path, route] : routes()) page.paths.push_back(path);
  co_return statusz(page, request.accept);
}

Task<Reply> DiagnosticsServer::flags(DiagnosticsServer* self, Request request) {
  co_return flagz(self->parts_.flags, request.accept);
}

Task<Reply> DiagnosticsServer::openapi(DiagnosticsServer* self, Request) {
  if (!self->report_api_) co_return Reply(404, "404 page not found\n");
  co_return self->report_api_->openapi();
}

}  // namespace podium::app::run
