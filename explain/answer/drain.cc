#include "explain/answer/drain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <string_view>
#include <tuple>
#include <utility>

#include "api/values/drained_pod.h"
#include "base/counted.h"
#include "explain/answer/drain_budgets.h"
#include "explain/report/each_field.h"
#include "explain/report/main_rejection.h"
#include "explain/report/project.h"
#include "explain/workload/device_claims.h"
#include "explain/workload/eviction_cost.h"
#include "explain/workload/unscheduled.h"
#include "scheduler/cluster/resources.h"

namespace podium::explain {
namespace {

using cluster::PodInfoPtr;
using cluster::Row;
using cluster::Snapshot;

constexpr std::size_t kFullest = bound_of(&ChangeResult::fullest).items,
                      kMostWaitingPlaced = bound_of(&ChangeResult::waiting).items,
                      kMostWarnings = bound_of(&DrainedPod::warnings).items, kDrainReasonBytes = 200,
                      kMostVictims = 3, kMostBudgetBytes = 4 * 1024;

std::vector<std::string> warnings_of_evicted(const api::Pod& pod, const PodTexts& of_budgets) {
  std::vector<std::string> out;
  if (const auto found = of_budgets.find(pod.meta.uid); found != of_budgets.end())
    out.push_back(found->second);
  if (auto protection = protection_of(pod)) out.push_back(std::move(protection->because));
  if (const auto volume = local_data_of(pod)) out.push_back("has data on the node: " + *volume);
  if (out.size() > kMostWarnings) out.resize(kMostWarnings);
  for (auto& each : out) each = cut(std::move(each), kDrainReasonBytes);
  return out;
}

// A failure respects no budget and no annotation.
std::vector<std::string> warnings_of_lost(const api::Pod& pod) {
  const auto volume = local_data_of(pod);
  if (!volume) return {};
  return {cut("loses the data in " + *volume, kDrainReasonBytes)};
}

// "low, mid and 4 more, and 2 pods of other namespaces". `others`: may not be named.
std::string victim_names(const std::vector<std::string>& names, std::size_t others) {
  const auto named = std::min(names.size(), kMostVictims);
  auto out =
      fmt::format("{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(named), ", "));
  if (names.size() > named) out += fmt::format(" and {} more", names.size() - named);
  if (others > 0) {
    if (!out.empty()) out += ", and ";
    out += others == 1 ? "a pod of another namespace" : fmt::format("{} pods of other namespaces", others);
  }
  return out;
}

// Returns the pod that the controller creates to replace an evicted one.
PodInfoPtr successor(const cluster::PodInfo& pod) {
  auto next = std::make_shared<api::Pod>(*pod);
  next->meta.uid += "#moved";
  unschedule(*next);
  return cluster::make_pod_info(std::move(next), pod.rules);
}

// The pod runs before the next nodes are drained, so that budgets count it.
void run(const std::string& uid, Snapshot& fork) {
  const auto* found = fork.find_pod(uid);
  if (!found) return;
  const auto placed = *found;
  auto running = std::make_shared<api::Pod>(*placed->pod);
  running->phase = "Running";
  fork.remove_pod(uid);
  fork.add_pod(cluster::make_pod_info(std::move(running), placed->rules));
}

struct Drained {
  std::size_t moved = 0, pending = 0, gone = 0, skipped = 0, preempted = 0, of_other_schedulers = 0;
  std::vector<Row> rows;         // that took pods
  std::vector<DrainedPod> seen;  // those that the asker may see
};

// A pod that leaves its node.
struct Leaving {
  PodInfoPtr pod;
  PodInfoPtr for_pod = nullptr;  // that preempts it
};

// Places evicted pods again, and those that they preempt.
class Replacing {
 public:
  // `budgets`: nullptr: the nodes fail, so no budget counts.
  // `drained`: the cordoned nodes that the pods leave.
  Replacing(const ChangeContext& context, const PodTexts* budgets, const std::vector<Row>& drained,
            Snapshot& fork)
      : context_(context), budgets_(budgets), drained_(drained), fork_(fork) {}

  Drained place(std::vector<PodInfoPtr> evicted) {
    sort_for_placing(evicted);
    for (auto& pod : evicted) leaving_.emplace(pod->priority, Leaving{pod});
    auto& line = context_.line;
    line.start();
    std::vector<PodInfoPtr> pending;
    // A pod preempts pods of lower priority, which come later.
    for (const auto& [_, leaving] : leaving_) {
      if (auto waits = place_one(leaving)) pending.push_back(std::move(waits));
    }
    line.place_rest(fork_);
    line.add(pending);
    return std::move(out_);
  }

 private:
  // The new pod if it has no place.
  PodInfoPtr place_one(const Leaving& leaving) {
    const auto& pod = *leaving.pod;
    DrainedPod entry{.name = pod.pod->meta.name};
    PodInfoPtr waits;
    auto warnings = leaving.for_pod ? std::vector<std::string>()
                    : budgets_      ? warnings_of_evicted(*pod.pod, *budgets_)
                                    : warnings_of_lost(*pod.pod);
    const auto& scheduler = pod.pod->scheduler_name;
    const auto* profile = answering_profile(context_.config, scheduler);
    if (api::is_static(*pod.pod)) {
      ++out_.pending;
      entry.code = "NoNode";
      entry.reason = "a static pod runs on its node only";
    } else if (!pod.pod->meta.controller()) {
      ++out_.gone;
      entry.code = "NoController";
    } else if (!profile || !has_time(context_.budget)) {
      ++out_.skipped;
      entry.code = profile ? "NotEvaluated" : "OtherScheduler";
    } else {
      context_.line.place_until(pod.priority, fork_);
      if (profile->scheduler_name != scheduler) ++out_.of_other_schedulers;
      auto moved = move_pod(pod, *profile, drained_.size(), fork_);
      if (moved.preemption) preempt(*profile, moved, warnings);
      entry = std::move(moved.entry);
      if (moved.to) {
        ++out_.moved;
        out_.rows.push_back(*moved.to);
        run(moved.next->pod->meta.uid, fork_);
        if (std::ranges::find(drained_, *moved.to) != drained_.end() && warnings.size() < kMostWarnings)
          warnings.push_back(fmt::format("tolerates the cordon of {}", fork_.node_name(*moved.to)));
      } else {
        ++out_.pending;
        waits = std::move(moved.next);
      }
    }
    if (!sees(*pod.pod)) return waits;
    const auto& ns = pod.pod->meta.namespace_;
    if (ns != context_.ns) entry.ns = ns;
    entry.warnings = std::move(warnings);
    if (leaving.for_pod) entry.made_room_for = name_of(*leaving.for_pod->pod);
    out_.seen.push_back(std::move(entry));
    return waits;
  }

  // Evicts the victims and places the pod on their node.
  void preempt(const framework::Profile& profile, Moved& moved, std::vector<std::string>& warnings) {
    const auto row = fork_.find_row(moved.preemption->node);
    if (!row) return;
    auto trial = fork_;
    const auto& victims = moved.preemption->victims;
    for (const auto& victim : victims) remove_with_devices(*victim->pod, trial);
    if (place_with_devices(moved.next, *row, profile, trial)) return;
    fork_ = std::move(trial);
    moved.to = row;
    moved.entry = {.name = moved.entry.name, .node = moved.preemption->node};
    std::vector<std::string> names;
    std::size_t others = 0;
    for (const auto& victim : victims) {
      if (context_.line.take_back(*victim->pod)) continue;  // it waits as before
      ++out_.preempted;
      if (sees(*victim->pod))
        names.push_back(name_of(*victim->pod));
      else
        ++others;
      leaving_.emplace(victim->priority, Leaving{victim, moved.next});
    }
    if (names.empty() && others == 0) return;
    warnings.push_back(cut("evicts " + victim_names(names, others), kDrainReasonBytes));
  }

  bool sees(const api::Pod& pod) const { return may_see(pod.meta.namespace_, context_); }
  std::string name_of(const api::Pod& pod) const {
    if (!sees(pod)) return "a pod of another namespace";
    return pod.meta.namespace_ == context_.ns ? pod.meta.name : pod.full_name();
  }

  const ChangeContext& context_;
  const PodTexts* budgets_;
  const std::vector<Row> drained_;
  Snapshot& fork_;
  std::multimap<std::int32_t, Leaving, std::greater<>> leaving_;  // by priority, the highest first
  Drained out_;
};

// Returns the resource with the highest utilization.
FullNode fullness(Row row, const Snapshot& fork) {
  FullNode full{.node = std::string(fork.node_name(row))};
  const auto consider = [&full](std::string_view resource, std::int64_t requested, std::int64_t allocatable) {
    if (allocatable <= 0 || requested <= 0) return;
    // Pods with spec.nodeName take more than the node has.
    constexpr double kMostPercent = 1e9;
    const auto percent = 100.0 * static_cast<double>(requested) / static_cast<double>(allocatable);
    const auto shown = static_cast<std::size_t>(std::min(percent, kMostPercent));
    if (shown > full.percent) full = {full.node, std::string(resource), shown};
  };
  consider("cpu", fork.requested_milli_cpu[row], fork.allocatable_milli_cpu[row]);
  consider("memory", fork.requested_memory[row], fork.allocatable_memory[row]);
  consider("pods", fork.pod_count[row], fork.allocatable_pods[row]);
  for (const auto& [name, _] : fork.entry(row).node->allocatable) {
    if (const auto* column = cluster::is_scalar_resource(name) ? fork.scalar(name) : nullptr)
      consider(name, column->requested[row], column->allocatable[row]);
  }
  return full;
}

std::vector<FullNode> fullest(std::vector<Row> rows, const Snapshot& fork) {
  std::ranges::sort(rows);
  rows.erase(std::ranges::unique(rows).begin(), rows.end());
  std::vector<FullNode> out;
  for (const auto row : rows) out.push_back(fullness(row, fork));
  std::ranges::sort(out, [](const FullNode& a, const FullNode& b) {
    return a.percent != b.percent ? a.percent > b.percent : a.node < b.node;
  });
  std::erase_if(out, [](const FullNode& each) { return each.resource.empty(); });
  if (out.size() > kFullest) out.resize(kFullest);
  return out;
}

// "2 pods evicted: 1 would move, ..."
std::string words(const std::string& what, const Drained& drained, const ChangeResult& done) {
  auto out = fmt::format("{}: {} would move, {} would stay pending", what, drained.moved, drained.pending);
  if (drained.gone > 0) out += fmt::format(", {} without a controller would be lost", drained.gone);
  if (drained.skipped > 0)
    out +=
        fmt::format(", {} were not evaluated (another scheduler, or the deadline passed)", drained.skipped);
  if (const auto broken = done.budgets_broken.value_or(0); broken > 0)
    out += fmt::format("; {} not allow it now",
                       podium::counted(broken, "PodDisruptionBudget does", "PodDisruptionBudgets do"));
  if (const auto several = done.with_several_budgets; several > 0)
    out += fmt::format("; {} cannot be evicted, because several PodDisruptionBudgets select {}",
                       podium::counted(several, "pod"), several == 1 ? "it" : "them");
  if (const auto others = done.of_other_schedulers; others > 0)
    out += fmt::format("; {} another scheduler, and this profile answers",
                       podium::counted(others, "pod has", "pods have"));
  return out;
}

void record(std::size_t count, Drained& drained, const WaitingLine& line, const Snapshot& fork,
            ChangeResult& done) {
  done.pending_so_far = std::max(drained.pending, line.evicted());
  done.pods_evicted = count + drained.preempted;
  done.pods_preempted = drained.preempted;
  done.of_other_schedulers = drained.of_other_schedulers;
  done.pods_moved = drained.moved;
  done.pods_pending = drained.pending;
  done.pods_gone = drained.gone;
  done.fullest = fullest(std::move(drained.rows), fork);
  done.pods_total = drained.seen.size();
  done.pods = std::move(drained.seen);
}

constexpr std::size_t kKeys = 64;    // bytes of a pod's JSON
constexpr std::size_t kCounts = 40;  // of nodeCount and nodesTotal
constexpr std::size_t kQuoted = 3;   // of a name in a list, with quotes and a comma

std::size_t bytes_of(const DrainedPod& pod) {
  std::size_t warnings = 0;
  for (const auto& each : pod.warnings) warnings += each.size() + 4;
  const std::size_t counts = pod.nodes_total > 0 ? kCounts : 0;
  return kKeys + counts + warnings + pod.made_room_for.size() + pod.ns.size() + pod.name.size() +
         pod.node.size() + pod.code.size() + pod.reason.size();
}

}  // namespace

void sort_for_placing(std::vector<PodInfoPtr>& evicted) {
  std::ranges::sort(evicted, [](const PodInfoPtr& a, const PodInfoPtr& b) {
    const auto &x = a->pod->meta, &y = b->pod->meta;
    return std::tie(b->priority, x.namespace_, x.name, x.uid) <
           std::tie(a->priority, y.namespace_, y.name, y.uid);
  });
}

namespace {

// That the drained nodes are cordoned does not say why the others reject the pod.
void leave_out_drained(std::size_t drained, std::vector<ReportRejection>& rejections) {
  const auto code = framework::row_of(framework::ReasonCode::node_unschedulable).name;
  const auto cordoned = std::ranges::find(rejections, code, &ReportRejection::code);
  if (cordoned == rejections.end() || rejections.size() == 1) return;
  cordoned->nodes -= std::min(cordoned->nodes, drained);
  if (cordoned->nodes == 0) rejections.erase(cordoned);
  std::ranges::stable_sort(rejections, std::ranges::greater(), &ReportRejection::nodes);
}

}  // namespace

Moved move_pod(const cluster::PodInfo& pod, const framework::Profile& profile, std::size_t drained,
               Snapshot& fork) {
  Moved out{.entry = {.name = pod.pod->meta.name}, .next = successor(pod), .to = std::nullopt};
  auto& entry = out.entry;
  hand_claims_on(*pod.pod, *out.next->pod, fork);
  const auto decision = framework::evaluate(*out.next, fork, profile);
  const auto refused =
      decision.fits() ? place_with_devices(out.next, *decision.choice, profile, fork) : std::nullopt;
  if (refused) {
    entry.code = "NoNode";
    entry.reason = cut(*refused, kDrainReasonBytes);
    return out;
  }
  if (!decision.fits()) {
    out.preemption = decision.preemption;
    entry.code = "NoNode";
    auto failed = project(*out.next, decision, fork);
    leave_out_drained(drained, failed.rejections);
    entry.reason = decision.node_count == 0 ? "no node is left" : cut(main_reason(failed), kDrainReasonBytes);
    if (const auto* main = main_rejection(failed.rejections); main && decision.error.empty()) {
      entry.reason = cut(main->reason, kDrainReasonBytes);
      entry.cause = Cause{main->code, main->about};
      const auto evaluated = failed.node_counts.evaluated;
      entry.nodes = main->nodes;
      entry.nodes_total = std::max(main->nodes, evaluated - std::min(evaluated, drained));
    }
    return out;
  }
  out.to = decision.choice;
  entry.node = fork.node_name(*out.to);
  if (!decision.total.empty()) entry.score = decision.total[*out.to];
  entry.feasible = decision.feasible.count();
  return out;
}

void drain(const std::vector<Row>& rows, const ChangeContext& context, ChangeResult& done, Snapshot& fork) {
  const auto& budget = context.budget;
  context.line.place(fork);
  std::vector<PodInfoPtr> evicted, terminating;
  for (const auto row : rows) {
    for (const auto& pod : fork.entry(row).pods) {
      if (!stays(*pod->pod)) (is_replaced(*pod->pod) ? terminating : evicted).push_back(pod);
    }
  }
  for (const auto& pod : terminating) remove_with_devices(*pod->pod, fork);
  const auto of_budgets = find_broken_budgets(evicted, context, fork, done);
  for (const auto& pod : evicted) {
    if (!has_time(budget)) break;
    remove_with_devices(*pod->pod, fork);
  }
  const auto count = evicted.size();
  auto drained = Replacing(context, &of_budgets, rows, fork).place(std::move(evicted));
  auto what = podium::counted(count + drained.preempted, "pod") + " evicted";
  if (drained.preempted > 0) what += fmt::format(", {} to make room for the others", drained.preempted);
  done.message = words(what, drained, done);
  record(count, drained, context.line, fork, done);
}

void lose(const std::vector<Row>& rows, const ChangeContext& context, ChangeResult& done, Snapshot& fork) {
  std::vector<PodInfoPtr> lost;
  std::size_t with_their_node = 0;
  for (const auto row : rows) {
    const std::string name(fork.node_name(row));
    const auto on_it = fork.entry(row).pods;
    for (const auto& pod : on_it) {
      if (!has_time(context.budget)) return;
      remove_with_devices(*pod->pod, fork);
      if (stays(*pod->pod))
        ++with_their_node;
      else if (!is_replaced(*pod->pod))
        lost.push_back(pod);
    }
    fork.remove_node(name);
  }
  const auto count = lost.size();
  context.line.place(fork);
  auto drained = Replacing(context, nullptr, {}, fork).place(std::move(lost));
  auto what =
      fmt::format("{} lost with {}", podium::counted(rows.size(), "node"), podium::counted(count, "pod"));
  if (drained.preempted > 0)
    what +=
        fmt::format(", {} evicted to make room for the others", podium::counted(drained.preempted, "pod"));
  done.message = words(what, drained, done);
  if (with_their_node > 0)
    done.message +=
        fmt::format("; {} of DaemonSets, or static, would be lost", podium::counted(with_their_node, "pod"));
  record(count, drained, context.line, fork, done);
}

void add_waiting_placed(const ChangeContext& context, ChangeResult& done, Snapshot& fork) {
  const auto placed = context.line.take_placed();
  if (placed.empty()) return;
  done.waiting_placed = placed.size();
  done.message +=
      fmt::format("; {} a node", podium::counted(placed.size(), "pod that waits gets", "pods that wait get"));
  for (const auto& [pod, node] : placed) {
    if (has_time(context.budget)) run(pod->pod->meta.uid, fork);
    if (pod->pod->meta.namespace_ == context.ns && done.waiting.size() < kMostWaitingPlaced)
      done.waiting.push_back({pod->pod->meta.name, node});
  }
}

std::vector<SpareAmount> spare_of(const Snapshot& fork) {
  std::int64_t milli_cpu = 0, memory = 0;
  for (const auto row : fork.rows_by_name()) {
    if (fork.entry(row).node->unschedulable) continue;
    const auto cpu = cluster::wrapping_minus(fork.allocatable_milli_cpu[row], fork.requested_milli_cpu[row]);
    milli_cpu = cluster::saturating_add(milli_cpu, std::max<std::int64_t>(0, cpu));
    const auto bytes = cluster::wrapping_minus(fork.allocatable_memory[row], fork.requested_memory[row]);
    memory = cluster::saturating_add(memory, std::max<std::int64_t>(0, bytes));
  }
  return {{"cpu", api::Quantity::from_milli(milli_cpu).text()},
          {"memory", api::Quantity::from_units(memory).text()}};
}

void cut_drained_pods(const Namespaces& seen_namespaces, std::vector<ChangeResult>& changes) {
  const bool is_of_several = !seen_namespaces.empty();
  const auto most = is_of_several ? kMostPodsOfSeveral : kMostDrainedPods;
  const auto most_bytes = is_of_several ? kMostBytesOfSeveral : kMostDrainedBytes;
  std::size_t count = 0, bytes = 0, bytes_of_budgets = 0;
  for (auto& change : changes) {
    std::ranges::stable_sort(change.pods, {}, [](const DrainedPod& pod) {
      return std::pair(!pod.made_room_for.empty(), !pod.node.empty());
    });
    const auto first_cut = std::ranges::find_if(change.pods, [&](const DrainedPod& pod) {
      count += 1;
      bytes += bytes_of(pod);
      return count > most || bytes > most_bytes;
    });
    change.pods.erase(first_cut, change.pods.end());
    const auto first_left = std::ranges::find_if(change.waiting, [&](const WaitingPlaced& pod) {
      bytes += kKeys + pod.name.size() + pod.node.size();
      return bytes > kMostDrainedBytes;
    });
    change.waiting.erase(first_left, change.waiting.end());
    const auto first_unnamed = std::ranges::find_if(change.budgets, [&](const BrokenBudget& budget) {
      bytes_of_budgets += kKeys + budget.ns.size() + budget.name.size();
      for (const auto& pod : budget.pods) bytes_of_budgets += kQuoted + pod.size();
      return bytes_of_budgets > kMostBudgetBytes;
    });
    change.budgets.erase(first_unnamed, change.budgets.end());
  }
}

}  // namespace podium::explain
