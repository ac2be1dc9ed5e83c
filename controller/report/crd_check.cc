#include "controller/report/crd_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <atomic>

#include "async/nap.h"
#include "client/request_info.h"

namespace podium::controller {
namespace {

namespace json = boost::json;
using client::Task;

constexpr const char* kReportCrd = "schedulingreports.podium.dev";
constexpr std::string_view kReportVersion = "v1alpha1";
constexpr std::array<std::string_view, 1> kSelectable{".spec.dryRun"};  // what-ifs are watched by it
// A CRD that lacks something may come at any time; one that is complete changes with the next upgrade.
constexpr std::chrono::seconds kWhileMissing{15}, kWhileReady{300};

constexpr auto kFields = std::to_array<std::string_view>({
    "spec",
    "spec.changes",
    "spec.changes.count",
    "spec.changes.effect",
    "spec.changes.key",
    "spec.changes.labels",
    "spec.changes.like",
    "spec.changes.namespace",
    "spec.changes.nodeName",
    "spec.changes.selector",
    "spec.changes.selector.matchExpressions",
    "spec.changes.selector.matchExpressions.key",
    "spec.changes.selector.matchExpressions.operator",
    "spec.changes.selector.matchExpressions.values",
    "spec.changes.selector.matchLabels",
    "spec.changes.taint",
    "spec.changes.taint.effect",
    "spec.changes.taint.key",
    "spec.changes.taint.value",
    "spec.changes.template",
    "spec.changes.type",
    "spec.dryRun",
    "spec.fixes",
    "spec.minCount",
    "spec.nodes",
    "spec.nonce",
    "spec.podRef",
    "spec.podRef.name",
    "spec.podRef.uid",
    "spec.profile",
    "spec.refreshSeconds",
    "spec.replicas",
    "spec.room",
    "spec.schedulerName",
    "spec.strategies",
    "spec.strategies.name",
    "spec.strategies.weight",
    "spec.template",
    "spec.topologyKey",
    "spec.ttlSeconds",
    "spec.workloadRef",
    "spec.workloadRef.kind",
    "spec.workloadRef.name",
    "status",
    "status.attempts",
    "status.changes",
    "status.changes.budgetsBroken",
    "status.changes.fullest",
    "status.changes.fullest.nodeName",
    "status.changes.fullest.percent",
    "status.changes.fullest.resource",
    "status.changes.message",
    "status.changes.nodeName",
    "status.changes.pods",
    "status.changes.pods.code",
    "status.changes.pods.feasible",
    "status.changes.pods.name",
    "status.changes.pods.nodeName",
    "status.changes.pods.reason",
    "status.changes.pods.score",
    "status.changes.podsEvicted",
    "status.changes.podsMoved",
    "status.changes.podsPending",
    "status.changes.podsTotal",
    "status.changes.type",
    "status.choice",
    "status.choice.margin",
    "status.choice.nodeName",
    "status.choice.score",
    "status.choice.tiedNodes",
    "status.conditions",
    "status.conditions.lastTransitionTime",
    "status.conditions.message",
    "status.conditions.observedGeneration",
    "status.conditions.reason",
    "status.conditions.status",
    "status.conditions.type",
    "status.decidedAt",
    "status.devices",
    "status.devices.adminAccess",
    "status.devices.claimName",
    "status.devices.device",
    "status.devices.driver",
    "status.devices.pool",
    "status.devices.request",
    "status.devicesTotal",
    "status.expiresAt",
    "status.firstFailure",
    "status.firstFailure.message",
    "status.firstFailure.nodeCounts",
    "status.firstFailure.nodeCounts.evaluated",
    "status.firstFailure.nodeCounts.feasible",
    "status.firstFailure.nodeCounts.total",
    "status.firstFailure.reason",
    "status.firstFailure.rejections",
    "status.firstFailure.rejections.code",
    "status.firstFailure.rejections.devices",
    "status.firstFailure.rejections.devices.claimName",
    "status.firstFailure.rejections.devices.inUse",
    "status.firstFailure.rejections.devices.matched",
    "status.firstFailure.rejections.devices.request",
    "status.firstFailure.rejections.devices.tainted",
    "status.firstFailure.rejections.devices.tooSmall",
    "status.firstFailure.rejections.examples",
    "status.firstFailure.rejections.nodeCount",
    "status.firstFailure.rejections.plugin",
    "status.firstFailure.rejections.preemptionMayHelp",
    "status.firstFailure.rejections.reason",
    "status.firstFailure.rejections.shortfall",
    "status.firstFailure.rejections.shortfall.least",
    "status.firstFailure.rejections.shortfall.nodeName",
    "status.firstFailure.rejections.shortfall.resource",
    "status.firstFailure.rejections.taints",
    "status.firstFailure.rejections.taintsTotal",
    "status.firstFailure.rejectionsTotal",
    "status.firstFailure.replica",
    "status.fixes",
    "status.fixes.message",
    "status.fixes.nodeName",
    "status.fixes.score",
    "status.fixes.type",
    "status.group",
    "status.group.domain",
    "status.group.domains",
    "status.group.domains.fitting",
    "status.group.domains.missing",
    "status.group.domains.name",
    "status.group.domainsTotal",
    "status.group.fits",
    "status.group.minCount",
    "status.group.topologyKey",
    "status.history",
    "status.history.at",
    "status.history.nodeCount",
    "status.history.outcome",
    "status.history.reason",
    "status.message",
    "status.nodeCounts",
    "status.nodeCounts.evaluated",
    "status.nodeCounts.feasible",
    "status.nodeCounts.total",
    "status.notModelled",
    "status.observedGeneration",
    "status.outcome",
    "status.placements",
    "status.placements.count",
    "status.placements.nodeName",
    "status.placementsTotal",
    "status.preemption",
    "status.preemption.nodeName",
    "status.preemption.victims",
    "status.preemption.victims.name",
    "status.preemption.victims.namespace",
    "status.preemption.victimsTotal",
    "status.profile",
    "status.rejections",
    "status.rejections.code",
    "status.rejections.devices",
    "status.rejections.devices.claimName",
    "status.rejections.devices.inUse",
    "status.rejections.devices.matched",
    "status.rejections.devices.request",
    "status.rejections.devices.tainted",
    "status.rejections.devices.tooSmall",
    "status.rejections.examples",
    "status.rejections.nodeCount",
    "status.rejections.plugin",
    "status.rejections.preemptionMayHelp",
    "status.rejections.reason",
    "status.rejections.shortfall",
    "status.rejections.shortfall.least",
    "status.rejections.shortfall.nodeName",
    "status.rejections.shortfall.resource",
    "status.rejections.taints",
    "status.rejections.taintsTotal",
    "status.rejectionsTotal",
    "status.replicas",
    "status.replicas.asked",
    "status.replicas.fitting",
    "status.room",
    "status.room.count",
    "status.room.firstFailure",
    "status.room.firstFailure.message",
    "status.room.firstFailure.nodeCounts",
    "status.room.firstFailure.nodeCounts.evaluated",
    "status.room.firstFailure.nodeCounts.feasible",
    "status.room.firstFailure.nodeCounts.total",
    "status.room.firstFailure.reason",
    "status.room.firstFailure.rejections",
    "status.room.firstFailure.rejections.code",
    "status.room.firstFailure.rejections.devices",
    "status.room.firstFailure.rejections.devices.claimName",
    "status.room.firstFailure.rejections.devices.inUse",
    "status.room.firstFailure.rejections.devices.matched",
    "status.room.firstFailure.rejections.devices.request",
    "status.room.firstFailure.rejections.devices.tainted",
    "status.room.firstFailure.rejections.devices.tooSmall",
    "status.room.firstFailure.rejections.examples",
    "status.room.firstFailure.rejections.nodeCount",
    "status.room.firstFailure.rejections.plugin",
    "status.room.firstFailure.rejections.preemptionMayHelp",
    "status.room.firstFailure.rejections.reason",
    "status.room.firstFailure.rejections.shortfall",
    "status.room.firstFailure.rejections.shortfall.least",
    "status.room.firstFailure.rejections.shortfall.nodeName",
    "status.room.firstFailure.rejections.shortfall.resource",
    "status.room.firstFailure.rejections.taints",
    "status.room.firstFailure.rejections.taintsTotal",
    "status.room.firstFailure.rejectionsTotal",
    "status.room.firstFailure.replica",
    "status.room.mayBeMore",
    "status.schedulingGates",
    "status.snapshot",
    "status.snapshot.at",
    "status.snapshot.resourceVersion",
    "status.strategies",
    "status.strategies.name",
    "status.strategies.topNodes",
    "status.strategies.topNodes.nodeName",
    "status.strategies.topNodes.score",
    "status.strategies.weight",
    "status.summary",
    "status.summary.node",
    "status.summary.reason",
    "status.summary.score",
    "status.timing",
    "status.timing.bindMicroseconds",
    "status.timing.evaluateMicroseconds",
    "status.timing.queuedMicroseconds",
    "status.topNodes",
    "status.topNodes.nodeName",
    "status.topNodes.score",
    "status.topNodes.strategyScores",
    "status.verdicts",
    "status.verdicts.checks",
    "status.verdicts.checks.passes",
    "status.verdicts.checks.plugin",
    "status.verdicts.checks.reasons",
    "status.verdicts.checks.taints",
    "status.verdicts.code",
    "status.verdicts.fits",
    "status.verdicts.nodeName",
    "status.verdicts.plugin",
    "status.verdicts.rank",
    "status.verdicts.reasons",
    "status.verdicts.resources",
    "status.verdicts.resources.free",
    "status.verdicts.resources.requested",
    "status.verdicts.resources.resource",
    "status.verdicts.score",
    "status.verdicts.strategyScores",
    "status.verdicts.wouldFitWith",
    "status.zones",
    "status.zones.count",
    "status.zones.name",
    "status.zones.now",
    "status.zonesTotal",
});

const json::value* member(const json::value* object, std::string_view key) {
  const auto* fields = object ? object->if_object() : nullptr;
  return fields ? fields->if_contains(key) : nullptr;
}

bool is_true(const json::value* value) { return value && value->is_bool() && value->get_bool(); }

std::string_view text_of(const json::value* value) {
  return value && value->is_string() ? std::string_view(value->get_string()) : std::string_view();
}

const json::value* served_version(const json::value& crd) {
  const auto* versions = member(member(&crd, "spec"), "versions");
  if (!versions || !versions->is_array()) return nullptr;
  for (const auto& one : versions->get_array()) {
    if (text_of(member(&one, "name")) == kReportVersion) return &one;
  }
  return nullptr;
}

bool is_selectable(const json::value& version, std::string_view path) {
  const auto* fields = member(&version, "selectableFields");
  return fields && fields->is_array() &&
         std::ranges::any_of(fields->get_array(), [&](const json::value& one) {
           return text_of(member(&one, "jsonPath")) == path;
         });
}

// Whether the schema has the field of this path; the items of a list belong to the list's path.
bool has_field(const json::value* schema, std::string_view path) {
  while (schema && !path.empty()) {
    if (is_true(member(schema, "x-kubernetes-preserve-unknown-fields"))) return true;
    if (const auto* items = member(schema, "items")) schema = items;
    const auto end = std::min(path.find('.'), path.size());
    schema = member(member(schema, "properties"), path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return schema != nullptr;
}

}  // namespace

std::span<const std::string_view> report_fields() { return kFields; }

std::vector<std::string> crd_problems(const json::value& crd) {
  const auto* version = served_version(crd);
  if (!version || !is_true(member(version, "served")))
    return {fmt::format("version {} is not served", kReportVersion)};
  std::vector<std::string> out;
  if (!member(member(version, "subresources"), "status")) out.emplace_back("the status subresource");
  for (const auto path : kSelectable) {
    if (!is_selectable(*version, path)) out.push_back(fmt::format("selectable field {}", path));
  }
  const auto* schema = member(member(version, "schema"), "openAPIV3Schema");
  std::string_view missing;  // its own fields need no mention
  for (const auto field : kFields) {
    const bool is_below = !missing.empty() && field.size() > missing.size() && field.starts_with(missing) &&
                          field[missing.size()] == '.';
    if (is_below || has_field(schema, field)) continue;
    missing = field;
    out.emplace_back(field);
  }
  return out;
}

struct CrdCheck::Impl {
  Impl(client::Api& api_, async::Gate& gate_, boost::asio::any_io_executor io_)
      : api(api_), gate(gate_), io(std::move(io_)) {}

  enum class State : std::uint8_t { unknown, ready, lacking };

  static Task<void> run(Impl* self) {
    for (;;) {
      auto crd = co_await self->api.get(client::resource::custom_resource_definitions, "", kReportCrd);
      if (!crd && client::lacks_right(crd.error())) {
        self->forbidden(crd.error());
        co_return;
      }
      if (crd || client::object_is_gone(crd.error())) self->look(crd);
      co_await async::nap(self->state == State::ready ? kWhileReady : kWhileMissing);
    }
  }

  void look(const Result<json::value>& crd) {
    const auto problems = crd ? crd_problems(*crd) : std::vector<std::string>{"it is not installed"};
    const auto found = fmt::format("{}", fmt::join(problems, ", "));
    const bool is_first = state == State::unknown;
    state = problems.empty() ? State::ready : State::lacking;
    if (!is_first && found == last) return;
    last = found;
    if (!crd) {
      spdlog::warn(
          "the CRD of SchedulingReports is not installed: podium schedules without reports and what-ifs "
          "until it is crd={}",
          kReportCrd);
    } else if (!problems.empty()) {
      spdlog::warn(
          "the CRD of SchedulingReports is older than podium: reports lack what it does not have crd={} "
          "missing={:?}",
          kReportCrd, found);
    } else if (!is_first) {
      spdlog::info("the CRD of SchedulingReports is complete crd={}", kReportCrd);
    }
  }

  void forbidden(const Error& error) {
    spdlog::warn(
        "the CRD of SchedulingReports cannot be checked, reports are written all the same {}error={:?}",
        client::request_fields(error), error.message);
  }

  client::Api& api;
  async::Gate& gate;
  const boost::asio::any_io_executor io;
  std::atomic<State> state{State::unknown};
  std::string last;  // what was missing
};

CrdCheck::CrdCheck(client::Api& api, async::Gate& gate, boost::asio::any_io_executor io)
    : impl_(std::make_unique<Impl>(api, gate, std::move(io))) {}

CrdCheck::~CrdCheck() = default;

void CrdCheck::start() { async::spawn(impl_->gate, impl_->io, "check the CRD", Impl::run(impl_.get())); }

std::optional<bool> CrdCheck::ready() const {
  const auto state = impl_->state.load();
  return state == Impl::State::unknown ? std::nullopt : std::optional(state == Impl::State::ready);
}

}  // namespace podium::controller
