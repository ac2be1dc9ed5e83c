#include "scheduler/live/api_preemptor.h"

#include <fmt/format.h>

#include <boost/asio/post.hpp>
#include <boost/json/value.hpp>
#include <tuple>

#include "api/values/pod.h"
#include "base/time.h"
#include "log/log.h"

namespace podium::live {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using cluster::PodInfoPtr;

constexpr std::string_view kCondition = "DisruptionTarget", kReason = "PreemptionByScheduler";

// 409: another pod (UID) has this name.
bool says_gone(const Error& error) { return client::object_is_gone(error) || client::is_conflict(error); }

// A strategic merge patch: conditions are merged by type, so the other conditions stay. Null if the pod
// already has the condition.
json::value condition_patch(const api::Pod& victim, const std::string& text, Wall now) {
  const auto* has = victim.condition(kCondition);
  if (has && has->status == "True" && has->reason == kReason && has->message == text) return nullptr;
  json::object condition{{"type", kCondition},       {"status", "True"},
                         {"reason", kReason},        {"message", text},
                         {"lastProbeTime", nullptr}, {"observedGeneration", victim.meta.generation}};
  if (!has || has->status != "True") condition["lastTransitionTime"] = format_time(now);
  return json::object{{"metadata", {{"uid", victim.meta.uid}}},
                      {"status", {{"conditions", json::array{std::move(condition)}}}}};
}

client::Task<Result<void>> patch_status(client::Api& api, PodInfoPtr pod, json::value body) {
  const auto& meta = pod->pod->meta;
  client::CallOptions options;
  options.repeats = client::Repeats::errors_and_conflicts;
  const auto done = co_await api.patch(client::resource::pods, meta.namespace_, meta.name,
                                       client::PatchType::strategic_merge, std::move(body), "status",
                                       client::kFieldManager, options);
  if (!done) co_return std::unexpected(done.error());
  co_return Result<void>();
}

// True: deleted; false: already gone.
client::Task<Result<bool>> evict(client::Api& api, PodInfoPtr victim, std::string text) {
  auto body = condition_patch(*victim->pod, text, api.clock().wall());
  if (!body.is_null()) {
    const auto patched = co_await patch_status(api, victim, std::move(body));
    if (!patched && says_gone(patched.error())) co_return false;
    if (!patched) co_return std::unexpected(patched.error());
  }
  const auto& meta = victim->pod->meta;
  client::DeleteOptions options;
  options.uid = meta.uid;
  const auto deleted = co_await api.remove(client::resource::pods, meta.namespace_, meta.name, options);
  if (!deleted && says_gone(deleted.error())) co_return false;
  if (!deleted) co_return std::unexpected(deleted.error());
  co_return true;
}

}  // namespace

client::Task<cycle::PreemptionOutcome> run_preemption(client::Api& api, PodStatusWriter& statuses,
                                                      cycle::PreemptionOrder order) {
  cycle::PreemptionOutcome outcome;
  for (const auto& pod : order.to_withdraw) {
    const auto withdrawn = co_await statuses.withdraw(pod);
    // The evictions continue, but the error makes the preemptor retry after a backoff.
    if (!withdrawn) {
      outcome.error = fmt::format("cannot clear the nomination of {}: {}", pod->pod->full_name(),
                                  withdrawn.error().text());
      outcome.request = withdrawn.error().request;
    }
  }
  const auto text =
      order.preemptor->pod->scheduler_name + ": preempting to accommodate a higher priority pod";
  for (const auto& victim : order.victims) {
    const auto evicted = co_await evict(api, victim, text);
    if (!evicted) {
      outcome.error = fmt::format("{} was not evicted: {}", victim->pod->full_name(), evicted.error().text());
      outcome.request = evicted.error().request;
      break;
    }
    if (*evicted) outcome.evicted.push_back(victim);
  }
  co_return outcome;
}

ApiPreemptor::ApiPreemptor(client::Api& api, PodStatusWriter& statuses, async::Gate& gate,
                           asio::any_io_executor io, asio::any_io_executor strand, Ended ended)
    : api_(api),
      statuses_(statuses),
      gate_(gate),
      io_(std::move(io)),
      strand_(std::move(strand)),
      ended_(std::move(ended)) {}

void ApiPreemptor::preempt(cycle::PreemptionOrder order) {
  if (async::spawn(gate_, io_, "preemption", run(this, order))) return;
  cycle::PreemptionOutcome outcome;
  outcome.error = cycle::kStopping;
  post_outcome(std::move(order), std::move(outcome));
}

client::Task<void> ApiPreemptor::run(ApiPreemptor* self, cycle::PreemptionOrder order) {
  auto outcome = co_await run_preemption(self->api_, self->statuses_, order);
  if (!outcome.error.empty()) {
    const auto& [verb, resource] = std::tie(outcome.request.verb, outcome.request.resource);
    if (self->log_.allows(verb + " " + resource, self->api_.clock().now())) {
      log::warn("preemption failed verb={} resource={} pod={} node={} error={:?}", verb, resource,
                order.preemptor->pod->full_name(), order.node, outcome.error);
    }
  }
  self->post_outcome(std::move(order), std::move(outcome));
}

void ApiPreemptor::post_outcome(cycle::PreemptionOrder order, cycle::PreemptionOutcome outcome) {
  asio::post(strand_,
             [this, order = std::move(order), outcome = std::move(outcome)] { ended_(order, outcome); });
}

}  // namespace podium::live
