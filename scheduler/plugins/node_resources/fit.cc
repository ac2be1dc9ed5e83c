// NodeResourcesFit: a node fits if its free resources cover the pod's requests. Scores by utilization.
// An extended resource that a device class backs is left to DynamicResources on nodes whose allocatable does
// not have it.
// Source: pkg/scheduler/framework/plugins/noderesources/fit.go.
#include <algorithm>
#include <memory>
#include <set>
#include <unordered_map>

#include "scheduler/cluster/pod_requests.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/plugin_names.h"
#include "scheduler/plugins/node_resources/node_resources.h"
#include "scheduler/plugins/node_resources/strategies.h"
#include "scheduler/plugins/shared/arg_names.h"
#include "scheduler/plugins/shared/event_objects.h"
#include "scheduler/plugins/shared/factories.h"

namespace podium::plugins {
namespace {

using namespace framework;
using cluster::Resources;

// One resource that the pod requests.
struct Demand {
  std::string name;
  std::int64_t want;
  Room::Kind kind;
  std::optional<ResourceAmounts> amounts;  // nullopt: no node has it
  bool has_class = false;                  // devices serve it if allocatable is 0
};

Room::Kind kind_of(std::string_view name) {
  if (name == "cpu") return Room::milli_cpu;
  if (name == "memory") return Room::memory;
  return name == "ephemeral-storage" ? Room::ephemeral_storage : Room::scalar;
}

bool is_left_to_devices(bool has_class, std::int64_t allocatable) { return has_class && allocatable <= 0; }
bool has_class(const Snapshot& snapshot, std::string_view resource) {
  return snapshot.objects().extended_classes().find(resource) != nullptr;
}

Reason shortage_of(const std::string& resource) {
  return Reason(ReasonCode::insufficient_resource, {{Topic::resource, resource}});
}

// Calls f(name, amount) for the resources with a positive request, until it returns true. Returns whether it
// did. Others are not checked, so that a node with overcommitted cpu still takes pods that request no cpu.
template <typename F>
bool any_requested(const Resources& requests, F&& f) {
  const auto asks = [&](std::string_view name, std::int64_t amount) { return amount > 0 && f(name, amount); };
  return asks(Resources::kCpu, requests.milli_cpu) || asks(Resources::kMemory, requests.memory) ||
         asks(Resources::kEphemeralStorage, requests.ephemeral_storage) ||
         std::ranges::any_of(requests.scalars,
                             [&](const auto& entry) { return asks(entry.first, entry.second); });
}

// Interns verdicts: nodes with equal shortages share one.
class Shortages {
 public:
  Shortages(const std::vector<Demand>& demands, Rejections& out) : demands_(demands), out_(out) {}

  // `lacks`: [0] pods, then one entry per demand, and last whether the pod would not even fit an empty node.
  VerdictId id(const std::vector<bool>& lacks) {
    const auto [known, is_new] = known_.try_emplace(lacks);
    if (is_new) known->second = out_.add(verdict(demands_, lacks));
    return known->second;
  }

  static Verdict verdict(const std::vector<Demand>& demands, const std::vector<bool>& lacks) {
    Verdict verdict{framework::names::kNodeResourcesFit,
                    lacks.back() ? Code::unschedulable_and_unresolvable : Code::unschedulable,
                    {}};
    if (lacks.front()) verdict.reasons.emplace_back(ReasonCode::too_many_pods);
    for (std::size_t i = 0; i < demands.size(); ++i) {
      if (lacks[i + 1]) verdict.reasons.push_back(shortage_of(demands[i].name));
    }
    return verdict;
  }

 private:
  const std::vector<Demand>& demands_;
  Rejections& out_;
  std::unordered_map<std::vector<bool>, VerdictId> known_;
};

Verdict shortage_in(const Room& room, const std::vector<Demand>& demands) {
  std::vector<bool> lacks(demands.size() + 2);
  lacks.front() = room.is_full();
  for (std::size_t i = 0; i < demands.size(); ++i) {
    const auto& item = room.items[i];
    if (item.is_left_out) continue;
    lacks[i + 1] = item.is_short();
    if (item.is_too_small()) lacks.back() = true;
  }
  return Shortages::verdict(demands, lacks);
}

class FitTrial final : public NodeTrial {
 public:
  FitTrial(Room room, const std::vector<Demand>& demands) : room_(std::move(room)), demands_(demands) {}

  void add(const PodInfoPtr& pod) override { room_.add(*pod); }
  void remove(const PodInfoPtr& pod) override { room_.remove(*pod); }
  void restore(const PodInfoPtr& pod) override { room_.restore(*pod); }
  std::optional<Verdict> check() override {
    return room_.fits() ? std::nullopt : std::optional(shortage_in(room_, demands_));
  }

 private:
  Room room_;
  const std::vector<Demand>& demands_;
};

class FitFilter final : public NodeFilter {
 public:
  FitFilter(const Snapshot& snapshot, std::vector<Demand> demands)
      : NodeFilter(snapshot), demands_(std::move(demands)) {}

  void filter(NodeMask& nodes, Rejections& out) const override {
    Shortages shortages(demands_, out);
    std::vector<ChunkWords> checks(demands_.size() + 2);
    std::vector<bool> lacks(checks.size());
    for (std::size_t chunk = 0; chunk < snapshot_.chunks(); ++chunk) {
      const auto words = words_with_nodes(nodes, chunk);
      if (words.count == 0) continue;
      run_checks(chunk, words, checks);
      for (auto w = words.first; w < words.first + words.count; ++w)
        reject_word(nodes, chunk, w, checks, lacks, shortages, out);
    }
  }

  bool declare(RowInputs& inputs) const override {
    inputs.columns.push_back({label_of("pods", 0), &snapshot_.allocatable_pods});
    inputs.columns.push_back({label_of("pods", 1), &snapshot_.pod_count});
    for (const auto& [name, want, field, amounts, has_class] : demands_) {
      inputs.asks.insert(inputs.asks.end(), {want, has_class, amounts.has_value()});
      if (!amounts || !amounts->allocatable.column() || !amounts->used.column()) return false;
      plugins::declare(name, Usage::requested, {amounts->allocatable.column(), amounts->used.column()},
                       inputs);
    }
    return true;
  }

  std::optional<Verdict> check(Row row, const PodDelta& delta) const override {
    return check_on_trial(row, delta);
  }

  std::unique_ptr<NodeTrial> try_on(Row row) const override {
    Room room;
    measure(row, room);
    return std::make_unique<FitTrial>(std::move(room), demands_);
  }

  bool measures() const override { return true; }
  void measure(Row row, Room& room) const override {
    room.pods = snapshot_.pod_count[row];
    room.allowed_pods = snapshot_.allocatable_pods[row];
    room.items.clear();
    for (const auto& demand : demands_) {
      const auto allocatable = demand.amounts ? demand.amounts->allocatable[row] : 0;
      const auto used = demand.amounts ? demand.amounts->used[row] : 0;
      room.items.push_back({.kind = demand.kind,
                            .scalar_name = demand.name,
                            .want = demand.want,
                            .allocatable = allocatable,
                            .used = used,
                            .is_left_out = is_left_to_devices(demand.has_class, allocatable)});
    }
  }
  Verdict shortage(const Room& room) const override { return shortage_in(room, demands_); }

 private:
  void run_checks(std::size_t chunk, WordRange words, std::vector<ChunkWords>& checks) const {
    find_full(snapshot_.allocatable_pods.chunk(chunk), snapshot_.pod_count.chunk(chunk), words,
              checks.front());
    auto& too_small = checks.back();
    too_small.fill(0);
    Amounts::Chunk space, space_for_used;
    for (std::size_t i = 0; i < demands_.size(); ++i) {
      const auto& [name, want, kind, amounts, has_class] = demands_[i];
      ChunkWords never;
      if (amounts) {
        const auto allocatable = amounts->allocatable.chunk(chunk, space);
        find_short(allocatable, amounts->used.chunk(chunk, space_for_used), want, words, checks[i + 1],
                   never);
        if (has_class) leave_to_devices(allocatable, checks[i + 1], never);
      } else if (has_class) {
        checks[i + 1].fill(0);
        never.fill(0);
      } else {
        checks[i + 1].fill(~std::uint64_t{0});
        never.fill(~std::uint64_t{0});
      }
      for (std::size_t w = 0; w < kChunkWords; ++w) too_small[w] |= never[w];
    }
  }

  static void leave_to_devices(std::span<const std::int64_t, kChunkRows> allocatable, ChunkWords& is_short,
                               ChunkWords& never) {
    for (std::size_t row = 0; row < kChunkRows; ++row) {
      if (!is_left_to_devices(true, allocatable[row])) continue;
      const auto others = ~(std::uint64_t{1} << (row % 64));
      is_short[row / 64] &= others;
      never[row / 64] &= others;
    }
  }

  // Rejects the nodes of a word in groups with equal shortages.
  static void reject_word(NodeMask& nodes, std::size_t chunk, std::size_t w,
                          const std::vector<ChunkWords>& checks, std::vector<bool>& lacks,
                          Shortages& shortages, Rejections& out) {
    std::uint64_t failing = 0;
    for (const auto& check : checks) failing |= check[w];
    failing &= nodes.word(chunk * kChunkWords + w);
    while (failing) {
      const auto first = std::countr_zero(failing);
      auto alike = failing;
      for (std::size_t i = 0; i < checks.size(); ++i) {
        lacks[i] = checks[i][w] >> first & 1;
        alike &= lacks[i] ? checks[i][w] : ~checks[i][w];
      }
      out.reject_word(nodes, chunk * kChunkWords + w, alike, shortages.id(lacks));
      failing &= ~alike;
    }
  }

  std::vector<Demand> demands_;
};

// True if the pod fits an empty node. As upstream, this also checks ignored resources.
bool fits_empty(const PodInfo& pod, const Resources& allocatable, std::int64_t pods,
                const Snapshot& snapshot) {
  return pods >= 1 && !any_requested(pod.requests, [&](std::string_view name, std::int64_t amount) {
           const auto has = allocatable.get(name);
           return amount > has && !is_left_to_devices(has_class(snapshot, name), has);
         });
}

bool node_helps(const PodInfo& rejected, const ClusterEvent& event, const Snapshot& snapshot) {
  const auto* before = object_before<api::Node>(event);
  const auto* after = object_after<api::Node>(event);
  if (!after) return false;
  const auto& [then, now] = event.amounts.get([&] {
    return std::make_unique<const AmountsChanged>(
        before ? cluster::to_resources(before->allocatable) : Resources(),
        cluster::to_resources(after->allocatable));
  });
  if (!fits_empty(rejected, now, cluster::allowed_pods(*after), snapshot)) return false;
  if (!before || cluster::allowed_pods(*after) > cluster::allowed_pods(*before)) return true;
  return any_requested(rejected.requests, [&](std::string_view name, std::int64_t) {
    const auto has = now.get(name);
    return has > then.get(name) || is_left_to_devices(has_class(snapshot, name), has);
  });
}

// Source: isSchedulableAfterDeviceClassEvent. A request of 0 also counts.
bool class_helps(const PodInfo& rejected, const ClusterEvent& event) {
  const auto *before = object_before<api::DeviceClass>(event), *after = object_after<api::DeviceClass>(event);
  if (!after) return false;
  const auto asks_for = [&](std::string_view resource) {
    return std::ranges::find(rejected.requests.scalars, resource, [](const auto& entry) {
             return std::string_view(entry.first);
           }) != rejected.requests.scalars.end();
  };
  const auto& resource = after->extended_resource_name;
  if (before && before->extended_resource_name.value_or("") == resource.value_or("")) return false;
  if (!before && asks_for(cluster::implicit_name(*after))) return true;
  return resource && asks_for(*resource);
}

// Source: isSchedulableAfterAssignedPodDelete and isSchedulableAfterAssignedPodScaleDown, which counts
// pod-level requests even if PodLevelResources is off.
bool pod_helps(const PodInfo& rejected, const ClusterEvent& event) {
  const auto* before = object_before<api::Pod>(event);
  const auto* after = object_after<api::Pod>(event);
  if (!before) return true;
  if (!after) return !before->node_name.empty() || !before->nominated_node.empty();
  if (after->node_name.empty()) return false;
  const cluster::RequestOptions as_granted{.use_status = true,
                                           .ignore_pod_level_resize = !rejected.rules.pod_level_resize};
  const auto& [then, now] = event.amounts.get([&] {
    return std::make_unique<const AmountsChanged>(cluster::pod_requests(*before, as_granted),
                                                  cluster::pod_requests(*after, as_granted));
  });
  const bool are_known = rejected.rules.pod_level && !cluster::status_counts(*rejected);
  return any_requested(are_known ? rejected.requests : cluster::pod_requests(*rejected, as_granted),
                       [&](std::string_view name, std::int64_t) { return then.get(name) > now.get(name); });
}

struct FitArgs {
  std::set<std::string, std::less<>> ignored_resources, ignored_groups;
  ScoringStrategy strategy;
};

class NodeResourcesFit final : public Plugin, public FilterPlugin, public ScorePlugin {
 public:
  explicit NodeResourcesFit(FitArgs args) : args_(std::move(args)) {}

  std::string_view name() const override { return framework::names::kNodeResourcesFit; }
  bool has_pre_filter() const override { return true; }
  std::string error_without_pre_filter() const override {
    return "error reading \"PreFilterNodeResourcesFit\" from cycleState: not found";
  }
  bool has_pre_score() const override { return true; }

  // Never skipped: the pod count of a node is always checked.
  PreparedFilter prepare_filter(const PodInfo& pod, const Snapshot& snapshot) const override {
    std::vector<Demand> demands;
    any_requested(pod.requests, [&](std::string_view name, std::int64_t want) {
      if (is_ignored(name)) return false;
      demands.push_back({std::string(name), want, kind_of(name), amounts_of(snapshot, name, Usage::requested),
                         has_class(snapshot, name)});
      return false;
    });
    return {.filter = std::make_unique<FitFilter>(snapshot, std::move(demands))};
  }

  PreparedScore prepare_score(const PodInfo& pod, const Snapshot& snapshot,
                              const NodeMask& feasible) const override {
    return {make_allocation_scorer(args_.strategy, pod.score_requests, snapshot, feasible, *supply_)};
  }

  std::vector<EventHint> hints() const override {
    std::vector<EventHint> hints{{EventResource::node, kAdd | kUpdateNodeAllocatable, node_helps}};
    hints.push_back({EventResource::assigned_pod, kDelete | kUpdatePodScaleDown, pod_helps});
    hints.push_back({EventResource::target_pod, kUpdatePodScaleDown, nullptr});
    hints.push_back({EventResource::device_class, kAdd | kUpdate, class_helps});
    return hints;
  }

 private:
  // Only extended resources can be ignored. The group is the part before the slash.
  bool is_ignored(std::string_view resource) const {
    return cluster::is_extended_resource(resource) &&
           (args_.ignored_resources.contains(resource) ||
            args_.ignored_groups.contains(resource.substr(0, resource.find('/'))));
  }

  FitArgs args_;
  const std::unique_ptr<DeviceSupply> supply_ = std::make_unique<DeviceSupply>();
};

std::set<std::string, std::less<>> strings(const boost::json::object& args, std::string_view key) {
  std::set<std::string, std::less<>> values;
  const auto* list = args.if_contains(key);
  if (!list || !list->is_array()) return values;
  for (const auto& value : list->get_array()) {
    if (value.is_string()) values.emplace(value.get_string());
  }
  return values;
}

}  // namespace

PluginPtr make_node_resources_fit(const boost::json::object& args) {
  const auto* strategy = args.if_contains(arg_names::kScoringStrategy);
  const bool given = strategy && strategy->is_object();
  return std::make_shared<NodeResourcesFit>(
      FitArgs{strings(args, arg_names::kIgnoredResources), strings(args, arg_names::kIgnoredResourceGroups),
              decode_scoring_strategy(given ? strategy->get_object() : boost::json::object())});
}

}  // namespace podium::plugins
