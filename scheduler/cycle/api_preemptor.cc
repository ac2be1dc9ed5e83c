#include "scheduler/cycle/api_preemptor.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/json/value.hpp>

#include "base/time.h"

namespace podium::cycle {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using cluster::PodInfoPtr;

constexpr std::string_view kCondition = "DisruptionTarget", kReason = "PreemptionByScheduler";

// 404: gone; 409 (the UID): another pod has its name.
bool says_gone(const Error& error) { return error.code == 404 || error.code == 409; }

// A strategic merge patch: the list of conditions is merged by type, so others' conditions stay. Null where
// the pod has it.
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

json::value withdrawal_patch(const api::Pod& pod) {
  return json::object{{"metadata", {{"uid", pod.meta.uid}}}, {"status", {{"nominatedNodeName", nullptr}}}};
}

client::Task<Result<void>> patch_status(client::Api& api, PodInfoPtr pod, json::value body) {
  const auto& meta = pod->pod->meta;
  const auto done = co_await api.patch(client::resource::pods, meta.namespace_, meta.name,
                                       client::PatchType::strategic_merge, std::move(body), "status");
  if (!done) co_return std::unexpected(done.error());
  co_return Result<void>();
}

// True: it was deleted; false: it was gone already.
client::Task<Result<bool>> evict(client::Api& api, PodInfoPtr victim, std::string text) {
  auto body = condition_patch(*victim->pod, text, api.clock().wall());
  if (!body.is_null()) {
    const auto told = co_await patch_status(api, victim, std::move(body));
    if (!told && says_gone(told.error())) co_return false;
    if (!told) co_return std::unexpected(told.error());
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

client::Task<PreemptionOutcome> make_room(client::Api& api, PreemptionOrder order) {
  PreemptionOutcome outcome;
  for (const auto& pod : order.to_withdraw) {
    auto body = withdrawal_patch(*pod->pod);
    const auto withdrawn = co_await patch_status(api, pod, std::move(body));
    // Not critical for the preemption itself, but the preemptor is tried again soon.
    if (!withdrawn && !says_gone(withdrawn.error())) {
      outcome.error =
          fmt::format("the nomination of {} stays: {}", pod->pod->full_name(), withdrawn.error().message);
    }
  }
  const auto text =
      order.preemptor->pod->scheduler_name + ": preempting to accommodate a higher priority pod";
  for (const auto& victim : order.victims) {
    const auto evicted = co_await evict(api, victim, text);
    if (!evicted) {
      outcome.error =
          fmt::format("{} was not evicted: {}", victim->pod->full_name(), evicted.error().message);
      break;
    }
    if (*evicted) outcome.evicted.push_back(victim);
  }
  co_return outcome;
}

ApiPreemptor::ApiPreemptor(client::Api& api, async::Gate& gate, asio::any_io_executor io,
                           asio::any_io_executor strand, Ended ended)
    : api_(api), gate_(gate), io_(std::move(io)), strand_(std::move(strand)), ended_(std::move(ended)) {}

void ApiPreemptor::preempt(PreemptionOrder order) {
  async::spawn(gate_, io_, "write", run(this, std::move(order)));
}

client::Task<void> ApiPreemptor::run(ApiPreemptor* self, PreemptionOrder order) {
  auto outcome = co_await make_room(self->api_, order);
  if (!outcome.error.empty()) {
    spdlog::warn("preemption failed pod={} node={} error=\"{}\"", order.preemptor->pod->full_name(),
                 order.node, outcome.error);
  }
  asio::post(self->strand_, [self, order = std::move(order), outcome = std::move(outcome)] {
    self->ended_(order, outcome);
  });
}

}  // namespace podium::cycle
