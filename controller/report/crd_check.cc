#include "controller/report/crd_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <atomic>

#include "api/text/json_view.h"
#include "async/nap.h"
#include "client/request_errors.h"
#include "explain/report/visits.h"
#include "log/log.h"
#include "metrics/samples.h"

namespace podium::controller {
namespace {

namespace json = boost::json;
using api::member;
using api::text_of;
using client::Task;

constexpr const char* kReportCrd = "schedulingreports.podium.dev";
constexpr std::array<std::string_view, 1> kSelectable{".spec.dryRun"};  // used to watch what-ifs
// An incomplete CRD may be updated at any time; a complete one changes with the next upgrade.
constexpr std::chrono::seconds kWhileMissing{15}, kWhileReady{300};

// The fields of a question; the fields of the status come from their lists.
constexpr auto kSpecFields = std::to_array<std::string_view>({
    "spec",
    "spec.changes",
    "spec.changes.claims",
    "spec.changes.count",
    "spec.changes.effect",
    "spec.changes.key",
    "spec.changes.labels",
    "spec.changes.like",
    "spec.changes.namespace",
    "spec.changes.nodeName",
    "spec.changes.nodeNames",
    "spec.changes.objects",
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
    "spec.changes.thenUncordon",
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
    "spec.search",
    "spec.search.compareWeights",
    "spec.search.compareWeights.strategies",
    "spec.search.compareWeights.strategies.name",
    "spec.search.compareWeights.strategies.weight",
    "spec.search.couldGo",
    "spec.search.forPending",
    "spec.search.forPending.shapes",
    "spec.search.forPending.shapes.allocatable",
    "spec.search.forPending.shapes.csiLimits",
    "spec.search.forPending.shapes.devices",
    "spec.search.forPending.shapes.devices.attributes",
    "spec.search.forPending.shapes.devices.capacity",
    "spec.search.forPending.shapes.devices.count",
    "spec.search.forPending.shapes.devices.driver",
    "spec.search.forPending.shapes.labels",
    "spec.search.forPending.shapes.like",
    "spec.search.forPending.shapes.max",
    "spec.search.forPending.shapes.name",
    "spec.search.forPending.shapes.price",
    "spec.search.forPending.shapes.taints",
    "spec.search.forPending.shapes.taints.effect",
    "spec.search.forPending.shapes.taints.key",
    "spec.search.forPending.shapes.taints.value",
    "spec.strategies",
    "spec.strategies.name",
    "spec.strategies.weight",
    "spec.template",
    "spec.topologyKey",
    "spec.ttlSeconds",
    "spec.workloadRef",
    "spec.workloadRef.kind",
    "spec.workloadRef.name",
});

bool is_true(const json::value* value) { return value && value->is_bool() && value->get_bool(); }

const json::value* served_version(const json::value& crd) {
  const auto* versions = member(member(&crd, "spec"), "versions");
  if (!versions || !versions->is_array()) return nullptr;
  for (const auto& one : versions->get_array()) {
    if (text_of(member(&one, "name")) == client::resource::scheduling_reports.version) return &one;
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

// True if the schema has the field of this path; the items of a list belong to the list's path.
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

std::span<const std::string> report_fields() {
  static const auto kFields = [] {
    std::vector<std::string> out(kSpecFields.begin(), kSpecFields.end());
    out.insert(out.end(), explain::status_paths().begin(), explain::status_paths().end());
    return out;
  }();
  return kFields;
}

std::vector<std::string> crd_problems(const json::value& crd) {
  const auto* version = served_version(crd);
  if (!version || !is_true(member(version, "served")))
    return {fmt::format("version {} is not served", client::resource::scheduling_reports.version)};
  std::vector<std::string> out;
  if (!member(member(version, "subresources"), "status")) out.emplace_back("the status subresource");
  for (const auto path : kSelectable) {
    if (!is_selectable(*version, path)) out.push_back(fmt::format("selectable field {}", path));
  }
  const auto* schema = member(member(version, "schema"), "openAPIV3Schema");
  std::string_view missing;  // its own fields are not listed
  for (const std::string_view field : report_fields()) {
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
      log::warn("the SchedulingReport CRD is not installed, scheduling without reports and what-ifs crd={}",
                kReportCrd);
    } else if (!problems.empty()) {
      log::warn(
          "the SchedulingReport CRD is older than podium, reports omit the missing fields crd={} "
          "missing={:?}",
          kReportCrd, found);
    } else if (!is_first) {
      log::info("the SchedulingReport CRD is complete crd={}", kReportCrd);
    }
  }

  void forbidden(const Error& error) {
    log::warn("cannot check the SchedulingReport CRD, writing reports anyway verb={} resource={} error={:?}",
              error.request.verb, error.request.resource, error.text());
  }

  client::Api& api;
  async::Gate& gate;
  const boost::asio::any_io_executor io;
  std::atomic<State> state{State::unknown};
  std::string last;  // the last missing fields
};

CrdCheck::CrdCheck(client::Api& api, async::Gate& gate, boost::asio::any_io_executor io)
    : impl_(std::make_unique<Impl>(api, gate, std::move(io))) {}

CrdCheck::~CrdCheck() = default;

void CrdCheck::start() { async::spawn(impl_->gate, impl_->io, "check the CRD", Impl::run(impl_.get())); }

std::optional<bool> CrdCheck::ready() const {
  const auto state = impl_->state.load();
  return state == Impl::State::unknown ? std::nullopt : std::optional(state == Impl::State::ready);
}

void CrdCheck::sample_metrics(metrics::Samples& out) const {
  auto& family =
      out.gauges("podium_report_crd_ready",
                 "1: the SchedulingReport CRD has every field that podium writes; 0: it is missing "
                 "or incomplete, see the log. Absent until podium has read it.",
                 {});
  if (const auto known = ready()) family.add({}, *known ? 1 : 0);
}

}  // namespace podium::controller
