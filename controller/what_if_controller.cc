#include "controller/what_if_controller.h"

#include <spdlog/spdlog.h>

#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/value.hpp>

#include "api/decode.h"
#include "base/coalescing_queue.h"
#include "client/reflector.h"
#include "controller/what_if.h"

namespace podium::controller {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using client::Task;

constexpr std::size_t kCapacity = 1'000;

// The spec's generation that the status answers; 0 where it answers none.
std::int64_t answered_generation(const json::value& report) {
  boost::system::error_code none;
  const auto* generation = report.find_pointer("/status/observedGeneration", none);
  const auto* number = generation ? generation->if_int64() : nullptr;
  return number ? *number : 0;
}

// On a worker: the whole answer, from the question as it stands in the API to a status.
Task<ReportStatus> evaluate(std::shared_ptr<const Question> question, cluster::Snapshot fork,
                            const config::Config* config) {
  auto pod = admit_question(*question, fork, *config);
  if (!pod) co_return refusal(pod.error().message);
  const auto* profile = config->profile((*pod)->scheduler_name);
  co_return answer(**pod, question->replicas, std::move(fork), *profile, question->claims);
}

}  // namespace

struct WhatIfController::Impl final : client::ReflectorHandler, std::enable_shared_from_this<Impl> {
  Impl(client::Api& api_, Retention& retention_, const config::Config& config_, asio::any_io_executor io_,
       asio::any_io_executor workers_, Fork fork_)
      : api(api_),
        retention(retention_),
        config(config_),
        io(std::move(io_)),
        workers(std::move(workers_)),
        fork(std::move(fork_)),
        queue(kCapacity, static_cast<std::size_t>(config_.podium.what_if.workers)),
        reflector(api_,
                  {.resource = client::resource::scheduling_reports, .field_selector = "spec.dryRun=true"},
                  *this) {}

  void changed(std::span<const client::Change> changes) override {
    for (const auto& change : changes) {
      const auto meta = api::decode_meta(change.object.view());
      if (!meta) continue;
      const auto key = meta->namespace_ + "/" + meta->name;
      if (change.type == client::Change::Type::deleted) {
        queue.forget(key);
        retention.forget(meta->namespace_, meta->name);
      } else if (answered_generation(change.object.view()) < meta->generation) {
        if (queue.push(key, change.object.clone()))
          asio::co_spawn(io, work(shared_from_this()), asio::detached);
      }
    }
  }
  void synced() override {}
  void unavailable(const Error& error) override {
    spdlog::warn("what-ifs cannot be watched, scheduling goes on error=\"{}\"", error.message);
  }
  void available() override { spdlog::info("what-ifs are watched again"); }

  static Task<void> work(std::shared_ptr<Impl> self) {
    while (auto report = self->queue.take()) co_await respond(self, std::move(*report));
  }

  static Task<void> respond(std::shared_ptr<Impl> self, json::value report) {
    const auto decided_at = self->api.clock().wall();
    const auto began = self->api.clock().now();
    const auto& ttl = self->config.podium.reports.ttl;
    auto question = read_question(report, ttl);
    const auto meta = api::decode_meta(report);
    if (!meta) co_return;
    ReportStatus status;
    Result<void> accepted;
    if (question) {
      accepted = co_await find_pod(self, *question);
    } else {
      accepted = std::unexpected(question.error());
    }
    if (!accepted) {
      status = refusal(accepted.error().message);
    } else {
      auto snapshot = co_await self->fork();
      auto evaluation =
          evaluate(std::make_shared<const Question>(*question), std::move(snapshot), &self->config);
      status = co_await asio::co_spawn(self->workers, std::move(evaluation), asio::use_awaitable);
    }
    status.decided_at = decided_at;
    status.expires_at = decided_at + (question ? question->ttl : ttl);
    status.evaluate = self->api.clock().now() - began;
    status.observed_generation = meta->generation;
    for (auto& condition : status.conditions) condition.since = decided_at;
    json::value body = json::object{{"metadata", {{"uid", meta->uid}}}, {"status", to_json(status)}};
    const auto written =
        co_await self->api.patch(client::resource::scheduling_reports, meta->namespace_, meta->name,
                                 client::PatchType::merge, std::move(body), "status");
    if (written) {
      self->retention.track(meta->namespace_, meta->name, meta->uid, *status.expires_at);
      self->answered.fetch_add(1, std::memory_order_relaxed);
    } else if (written.error().code != 404 && written.error().code != 409) {
      spdlog::warn("what-if not answered report={}/{} error=\"{}\"", meta->namespace_, meta->name,
                   written.error().message);
    }
  }

  // A question about a pod by name: the pod itself is read, it may be of any scheduler.
  static Task<Result<void>> find_pod(std::shared_ptr<Impl> self, Question& question) {
    if (question.pod) co_return Result<void>{};
    const auto live =
        co_await self->api.get(client::resource::pods, question.meta.namespace_, question.pod_name);
    if (!live) co_return invalid("spec.podRef.name: " + live.error().message);
    auto pod = api::decode_pod(*live);
    if (!pod) co_return invalid("spec.podRef: " + pod.error().message);
    if (!pod->node_name.empty()) {
      co_return invalid("spec.podRef.name: pod " + question.pod_name + " is on node " + pod->node_name +
                        " already");
    }
    auto claims = read_ephemeral_claims(*live);
    if (!claims) co_return invalid("spec.podRef: " + claims.error().message);
    question.claims = std::move(*claims);
    question.names_scheduler = true;
    question.pod = std::move(*pod);
    co_return Result<void>{};
  }

  client::Api& api;
  Retention& retention;
  const config::Config& config;
  asio::any_io_executor io, workers;
  Fork fork;
  CoalescingQueue<json::value> queue;  // by namespace/name
  client::Reflector reflector;
  std::atomic<std::uint64_t> answered{0};
};

WhatIfController::WhatIfController(client::Api& api, Retention& retention, const config::Config& config,
                                   asio::any_io_executor io, asio::any_io_executor workers, Fork fork)
    : impl_(std::make_shared<Impl>(api, retention, config, std::move(io), std::move(workers),
                                   std::move(fork))) {}

WhatIfController::~WhatIfController() = default;

Task<void> WhatIfController::run() {
  const auto self = impl_;
  co_await self->reflector.run();
}

void WhatIfController::stop() { impl_->reflector.stop(); }
std::uint64_t WhatIfController::answered() const { return impl_->answered.load(std::memory_order_relaxed); }

}  // namespace podium::controller
