// The answer about the nodes that the pods that wait need: the best choice that node_plans.h found, without
// the groups of pods that would stay too small.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/counted.h"
#include "explain/answer/node_plans.h"
#include "explain/answer/node_search.h"
#include "explain/answer/node_shapes.h"
#include "explain/answer/pod_groups.h"
#include "explain/answer/uncordoning.h"
#include "explain/answer/waiting.h"
#include "explain/report/each_field.h"
#include "explain/report/project.h"
#include "explain/report/reason_words.h"
#include "explain/workload/owner.h"
#include "scheduler/cluster/pod_requests.h"
#include "scheduler/framework/decision.h"

namespace podium::explain {
namespace {

using cluster::Row;
using cluster::Snapshot;

constexpr std::size_t kMostAddedListed = 16, kMostUnplacedListed = 16, kMostWorkloadsListed = 16,
                      kMostAmounts = 8, kMostUncordoned = 16;
constexpr std::size_t kUnplacedBytes = bound_of(&UnplacedPods::reason).bytes,
                      kOwnerBytes = bound_of(&WaitingWorkload::name).bytes;

// The API server takes owners' names of any length in a pod, but not in the answer.
WaitingWorkload waiting_workload_of(const api::Pod& pod) {
  auto owner = workload_of(pod.meta);
  if (owner.kind.empty()) return {.kind = "Pod", .name = pod.meta.name};
  return {.kind = cut(std::move(owner.kind), kOwnerBytes), .name = cut(std::move(owner.name), kOwnerBytes)};
}

// cpu, memory, and the extended resources of the node, by name.
std::vector<std::string> resources_of(const api::Node& node) {
  std::vector<std::string> out{"cpu", "memory"};
  for (const auto& [name, amount] : node.allocatable) {
    if (cluster::is_extended_resource(name) && !amount.is_zero() && out.size() < kMostAmounts)
      out.push_back(name);
  }
  return out;
}

api::Quantity free_on(Row row, const std::string& resource, const Snapshot& fork) {
  if (resource == "cpu")
    return api::Quantity::from_milli(
        cluster::wrapping_minus(fork.allocatable_milli_cpu[row], fork.requested_milli_cpu[row]));
  if (resource == "memory")
    return api::Quantity::from_units(
        cluster::wrapping_minus(fork.allocatable_memory[row], fork.requested_memory[row]));
  const auto* column = fork.scalar(resource);
  return api::Quantity::from_units(
      column ? cluster::wrapping_minus(column->allocatable[row], column->requested[row]) : 0);
}

// A group that was taken out of the plan also leaves the nodes that exist.
std::size_t placed_in_both(const Places& a, const Places& b) {
  std::size_t both = 0;
  for (std::size_t i = 0; i < a.size(); ++i) both += a[i] && b[i] ? 1 : 0;
  return both;
}

class Wanting {
 public:
  Wanting(const NodeSearch& search, Snapshot fork)
      : search_(search), profiles_(search.config), base_(std::move(fork)) {
    waiters_ = sort_waiting(search.waiting, profiles_, search.budget, base_);
    gather_groups(waiters_);
  }

  Result<std::optional<WantedAnswer>> run() {
    auto shapes = known_shapes(search_.question.search->shapes,
                               search_.question.paths.spec / "search.forPending.shapes", waiters_,
                               search_.budget, base_);
    if (!shapes) return std::unexpected(shapes.error());
    known_ = std::move(*shapes);
    find_largest();
    const auto all = waiters_.pods.size();
    leave_out_small_groups();
    for (;;) {
      NodePlan now{.counts = ShapeCounts(shapes_.size()), .fork = base_};
      if (!has_time() || !place_waiters(waiters_, search_.budget, now.places, now.fork)) {
        if (left_out_.empty()) return std::nullopt;
        best_ = {.counts = ShapeCounts(shapes_.size()), .fork = base_};
        out_.not_tried = waiters_.pods.size();
        break;
      }
      const auto groups = pod_groups(waiters_, search_.objects.group_minimums, base_);
      NodePlans plans(known_, waiters_, groups, search_.budget, now);
      auto cover = plans.cover();
      if (leave_out_short_groups(groups, plans, cover)) continue;
      choose(plans, std::move(cover), now);
      break;
    }
    record();
    return std::optional(WantedAnswer{all, best_.placed(), std::move(out_), has_groups_without_minimum_});
  }

 private:
  bool has_time() const { return explain::has_time(search_.budget); }

  void choose(NodePlans& plans, NodePlans::Cover cover, const NodePlan& now) {
    if (!cover.is_whole) out_.not_tried = waiters_.pods.size() - cover.plan.placed();
    // Before the search for fewer nodes, which may take all of the time.
    if (cover.is_whole) find_reasons(plans, cover.plan);
    auto best = plans.make_cheaper(std::move(cover.plan));
    best_ = std::move(best.plan);
    out_.fit_now = placed_in_both(now.places, best_.places);
    out_.is_finished = best.is_finished;
    out_.is_fewest = best.is_fewest;
    if (known_.is_priced) out_.price = price_text(plans.price_of(best_.counts));
    if (out_.not_tried == 0) find_reasons(plans, best_);
    // Other pods could take the room of a group on uncordoned nodes.
    if (!has_groups_ || best_.placed() == waiters_.pods.size()) try_uncordoned(now);
  }

  // Uncordoned nodes may place more than new ones: some pods need that very node, such as for a volume.
  void try_uncordoned(const NodePlan& now) {
    const auto most = placed_uncordoned(waiters_, search_.budget, now.fork, now.places);
    if (most <= now.placed() || most < best_.placed()) return;
    const auto needed = cordoned_to_use(waiters_, most, search_.budget, now.fork, now.places);
    if (needed.size() > kMostUncordoned) return;
    for (const auto row : needed) out_.uncordon.emplace_back(base_.node_name(row));
  }

  // --- groups ---

  // The pods of a group that are left out, and why.
  void leave_out(const PodGroup& group, const std::string& reason) {
    for (const auto i : group.members) left_out_.emplace_back(waiters_.pods[i], reason);
  }
  void remove_left_out() {
    std::set<const cluster::PodInfo*> gone;
    for (const auto& [waiter, reason] : left_out_) gone.insert(waiter.pod.get());
    std::erase_if(waiters_.pods, [&](const Waiter& waiter) { return gone.contains(waiter.pod.get()); });
  }

  // A group that has fewer pods than it needs cannot run, whatever is added.
  void leave_out_small_groups() {
    for (const auto& group : pod_groups(waiters_, search_.objects.group_minimums, base_)) {
      has_groups_ = true;
      has_groups_without_minimum_ |= !group.minimum;
      if (group.members.size() >= group.needed()) continue;
      leave_out(group, fmt::format("group {} has {} of {} pods", group.name.second,
                                   group.running + group.members.size(), *group.minimum));
    }
    remove_left_out();
  }

  // Leaves out groups that are short in the cover: those with a pod that no node would take, or else the
  // first one. It had the first choice of the room, which may be enough for the others. False: none is short,
  // or the budget has ended: then the plan has no pod of a short group.
  bool leave_out_short_groups(const PodGroups& groups, const NodePlans& plans, NodePlans::Cover& cover) {
    std::vector<const PodGroup*> never, others;
    std::optional<NodePlan> with_all;
    for (const auto& group : groups) {
      if (!group.is_short(cover.plan.places)) continue;
      if (cover.is_whole && !with_all) with_all = with_one_of_each(plans, cover.plan);
      const bool is_final = with_all && fits_nowhere(first_left(group, cover.plan), *with_all);
      (is_final ? never : others).push_back(&group);
    }
    if (never.empty() && others.empty()) return false;
    if (!cover.is_whole) {
      // Pods with an affinity to the group's pods stay in the plan: the answer says that it is not complete.
      take_out(others, cover.plan);
      return false;
    }
    if (never.empty()) never.push_back(others.front());
    for (const auto* group : never) leave_out(*group, why_short(*group, plans, cover.plan, *with_all));
    remove_left_out();
    return true;
  }

  // Removes the groups' pods, and the new nodes that nothing else is on.
  void take_out(const std::vector<const PodGroup*>& groups, NodePlan& plan) const {
    std::map<Row, std::size_t> left;  // pods of the plan
    for (const auto& place : plan.places) {
      if (place) ++left[*place];
    }
    for (const auto* group : groups) {
      for (const auto i : group->members) {
        const auto place = std::exchange(plan.places[i], std::nullopt);
        if (!place) continue;
        plan.fork.remove_pod(waiters_.pods[i].pod->pod->meta.uid);
        const auto added = plan.shape_of.find(*place);
        if (--left[*place] > 0 || added == plan.shape_of.end()) continue;
        --plan.counts[added->second];
        plan.shape_of.erase(added);
      }
    }
  }

  NodePlan with_one_of_each(const NodePlans& plans, NodePlan plan) const {
    for (std::size_t shape = 0; shape < shapes_.size(); ++shape) plans.add(shape, 1, plan);
    return plan;
  }

  // The first pod of a short group without a place.
  const Waiter& first_left(const PodGroup& group, const NodePlan& plan) const {
    const auto first = std::ranges::find_if(group.members, [&](std::size_t i) { return !plan.places[i]; });
    return waiters_.pods[*first];
  }

  // Whether no new node takes the pod either. Without the groups that are left out later the answer is the
  // same, unless the pod needs other pods.
  bool fits_nowhere(const Waiter& waiter, const NodePlan& with_all) {
    if (fits_somewhere_.contains(waiter.kind) || !has_time()) return false;
    if (!framework::evaluate(*waiter.pod, with_all.fork, *waiter.profile).fits()) return true;
    const auto& pod = *waiter.pod->pod;
    if (pod.pod_affinity.required.empty() && pod.topology_spread.empty()) fits_somewhere_.insert(waiter.kind);
    return false;
  }

  std::string why_short(const PodGroup& group, const NodePlans& plans, const NodePlan& plan,
                        const NodePlan& with_all) const {
    if (!has_time()) return {};
    const auto needed = group.minimum.value_or(group.members.size() + group.running);
    return cut(fmt::format("group {}: {} of {} fit; {}", group.name.second,
                           group.placed(plan.places) + group.running, needed,
                           why_none(first_left(group, plan), plans, plan, with_all)),
               kUnplacedBytes);
  }

  // --- the answer ---

  void record() {
    out_.gated = waiters_.gated;
    out_.other_scheduler = waiters_.other_scheduler;
    out_.evicting = waiters_.evicting;
    out_.not_evaluated = waiters_.not_evaluated;
    out_.shapes_tried = shapes_.size();
    out_.shapes_total = known_.total;
    const auto on_new = pods_on_new();
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      if (best_.counts[i] > 0) out_.added.push_back(note_shape(i, on_new[i]));
    }
    std::ranges::stable_sort(out_.added, std::ranges::greater(), &AddedNodes::pods);
    out_.added_total = out_.added.size();
    for (const auto& added : out_.added) out_.nodes_total += added.nodes;
    if (out_.added.size() > kMostAddedListed) out_.added.resize(kMostAddedListed);
    note_unplaced();
  }

  static std::string price_text(std::int64_t millionths) {
    auto text = fmt::format("{}.{:06}", millionths / 1'000'000, millionths % 1'000'000);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    return text;
  }

  // What is placed on the new nodes, by their shape.
  struct OnNew {
    std::vector<Row> rows;
    std::vector<std::size_t> pods;
  };
  std::vector<OnNew> pods_on_new() const {
    std::vector<OnNew> out(shapes_.size());
    for (const auto& [row, shape] : best_.shape_of) out[shape].rows.push_back(row);
    for (std::size_t i = 0; i < best_.places.size(); ++i) {
      const auto& place = best_.places[i];
      const auto found = place ? best_.shape_of.find(*place) : best_.shape_of.end();
      if (found != best_.shape_of.end()) out[found->second].pods.push_back(i);
    }
    return out;
  }

  AddedNodes note_shape(std::size_t shape, const OnNew& on_new) const {
    const auto& known = shapes_[shape];
    AddedNodes out{.shape = known.shape.name, .like = known.shape.like};
    out.nodes = static_cast<std::size_t>(best_.counts[shape]);
    using Key = std::tuple<std::string, std::string, std::string>;
    std::map<Key, std::size_t> workloads;
    out.pods = on_new.pods.size();
    for (const auto i : on_new.pods) {
      const auto workload = name_of(*waiters_.pods[i].pod->pod);
      ++workloads[Key(workload.ns, workload.kind, workload.name)];
    }
    for (const auto& [key, count] : workloads)
      out.workloads.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), count});
    std::ranges::stable_sort(out.workloads, std::ranges::greater(), &WaitingWorkload::count);
    out.workloads_total = out.workloads.size();
    if (out.workloads.size() > kMostWorkloadsListed) out.workloads.resize(kMostWorkloadsListed);
    for (const auto& resource : resources_of(*known.model.node)) {
      const auto* amount = api::find_resource(known.model.node->allocatable, resource);
      if (amount) out.allocatable.push_back({resource, amount->text()});
      api::Quantity left;
      for (const auto row : on_new.rows) left = left + free_on(row, resource, best_.fork);
      if (amount) out.left_over.push_back({resource, left.text()});
    }
    return out;
  }

  // Nothing for pods of namespaces that the author may not see.
  WaitingWorkload name_of(const api::Pod& pod) const {
    const auto& question = search_.question;
    const auto& ns = pod.meta.namespace_;
    if (ns == question.meta.namespace_) return waiting_workload_of(pod);
    if (!question.seen_namespaces.contains(ns)) return {};
    auto out = waiting_workload_of(pod);
    out.ns = ns;
    return out;
  }

  void note_unplaced() {
    std::map<std::tuple<std::string, std::string, std::string, std::string>, std::size_t> found;
    const auto note = [&](const Waiter& waiter, const std::string& reason) {
      const auto workload = name_of(*waiter.pod->pod);
      // The reason has what the pod asks for.
      ++found[{workload.ns, workload.kind, workload.name,
               workload.name.empty() ? "they fit on no shape" : cut(reason, kUnplacedBytes)}];
    };
    for (const auto& [waiter, reason] : left_out_) note(waiter, reason);
    for (std::size_t i = 0; i < best_.places.size() && out_.not_tried == 0; ++i) {
      const auto& waiter = waiters_.pods[i];
      if (best_.places[i]) continue;
      const auto reason = reasons_.find(waiter.kind);
      note(waiter, reason == reasons_.end() ? "they fit on no shape" : reason->second + on_cordoned(waiter));
    }
    for (const auto& [key, count] : found)
      out_.unplaced.push_back(
          {{std::get<0>(key), std::get<1>(key), std::get<2>(key), count}, std::get<3>(key)});
    std::ranges::stable_sort(out_.unplaced, std::ranges::greater(),
                             [](const auto& each) { return each.pods.count; });
    out_.unplaced_total = out_.unplaced.size();
    if (out_.unplaced.size() > kMostUnplacedListed) out_.unplaced.resize(kMostUnplacedListed);
  }

  // "; n2 would take one if it were uncordoned". Empty: no cordoned node would.
  std::string on_cordoned(const Waiter& waiter) {
    const auto [known, is_new] = on_cordoned_.try_emplace(waiter.kind);
    if (!is_new || !has_time()) return known->second;
    if (!uncordoned_) uncordoned_ = all_uncordoned(best_.fork);
    const auto decision = framework::evaluate(*waiter.pod, *uncordoned_, *waiter.profile);
    if (!decision.choice || !base_.find_row(uncordoned_->node_name(*decision.choice))) return {};
    if (!best_.fork.entry(*decision.choice).node->unschedulable) return {};
    known->second =
        fmt::format("; {} would take one if it were uncordoned", uncordoned_->node_name(*decision.choice));
    return known->second;
  }

  // Finds why the pods without a place in the plan have none with one more node of each shape either.
  void find_reasons(const NodePlans& plans, const NodePlan& plan) {
    std::optional<NodePlan> with_all;
    for (std::size_t i = 0; i < plan.places.size(); ++i) {
      const auto& waiter = waiters_.pods[i];
      if (plan.places[i] || reasons_.contains(waiter.kind) || name_of(*waiter.pod->pod).name.empty())
        continue;
      if (!with_all) with_all = with_one_of_each(plans, plan);
      reasons_.emplace(waiter.kind, why_none(waiter, plans, plan, *with_all));
    }
  }

  // Why a new node of each shape does not take the pod. `with_all`: the plan with such nodes.
  std::string why_none(const Waiter& waiter, const NodePlans& plans, const NodePlan& plan,
                       const NodePlan& with_all) const {
    if (shapes_.empty()) return "there is no shape";
    if (auto missing = missing_in_all(waiter); !missing.empty())
      return cut(std::move(missing), kUnplacedBytes);
    if (!has_time()) return "the deadline passed before the reason was found";
    const auto decision = framework::evaluate(*waiter.pod, with_all.fork, *waiter.profile);
    if (decision.fits()) {
      if (const auto full = words_of_full_claim(*waiter.pod->pod, with_all.fork))
        return cut(*full, kUnplacedBytes);
      // The cover has tried one more node of each shape that may be added.
      const bool may_add = std::ranges::any_of(with_all.shape_of, [&](const auto& added) {
        const auto& [row, shape] = added;
        return !plan.shape_of.contains(row) && decision.rejections.id(row) == framework::kFits &&
               plans.may_add_one(shape, plan);
      });
      return may_add ? "the pods before it in the queue would take the room of another node"
                     : "more nodes would be needed than the shapes, or this question, allow";
    }
    if (const auto& whole = decision.pre_filter ? decision.pre_filter : decision.pre_enqueue;
        whole && !whole->reasons.empty()) {
      const auto cause = cause_of(whole->reasons.front());
      return cut(reason_words(cause.code, cause.about, whole->reasons.front().text), kUnplacedBytes);
    }
    if (!decision.has_verdicts())
      return cut(main_reason(project(*waiter.pod, decision, with_all.fork)), kUnplacedBytes);
    std::map<std::string, std::vector<std::size_t>> shapes;  // by the words of their reason
    for (const auto& [row, shape] : with_all.shape_of) {
      if (plan.shape_of.contains(row)) continue;
      const auto id = decision.rejections.id(row);
      if (id == framework::kFits) continue;
      const auto& reasons = decision.rejections.verdict(id).reasons;
      if (reasons.empty()) continue;
      const auto cause = cause_of(reasons.front());
      auto words = reason_words(cause.code, cause.about, reasons.front().text);
      if (is_of_pod(cause.code)) return cut(std::move(words), kUnplacedBytes);
      shapes[std::move(words)].push_back(shape);
    }
    std::string text;
    for (const auto& [words, of] : shapes) {
      if (!text.empty()) text += "; ";
      const auto& one = shapes_[of.front()].shape;
      text += of.size() > 1 ? fmt::format("nodes of {} shapes {}", of.size(), plural_of(words))
                            : fmt::format("a node {}{} {}", one.like.empty() ? "of " : "", one.name, words);
    }
    return cut(text.empty() ? "no shape takes it" : std::move(text), kUnplacedBytes);
  }

  // Once: a pod may ask for many resources and labels, and many pods wait.
  void find_largest() {
    for (const auto& each : shapes_) {
      const auto has = cluster::to_resources(each.model.node->allocatable);
      const auto see = [this](const std::string& name, std::int64_t amount) {
        auto& largest = largest_[name];
        largest = std::max(largest, amount);
      };
      see("cpu", has.milli_cpu);
      see("memory", has.memory);
      for (const auto& [name, amount] : has.scalars) see(name, amount);
      for (const auto& [key, value] : each.model.node->meta.labels) labels_.emplace(key, value);
    }
  }

  // A label or an amount that no shape has.
  std::string missing_in_all(const Waiter& waiter) const {
    for (const auto& [key, value] : waiter.pod->pod->node_selector) {
      if (!labels_.contains({key, value})) return fmt::format("no shape has {}={}", key, value);
    }
    const auto& asks = waiter.pod->requests;
    std::vector<std::pair<std::string, std::int64_t>> amounts{{"cpu", asks.milli_cpu},
                                                              {"memory", asks.memory}};
    for (const auto& [name, amount] : asks.scalars) amounts.emplace_back(name, amount);
    for (const auto& [name, amount] : amounts) {
      const bool may_be_devices = base_.objects().extended_classes().find(name) != nullptr;
      if (amount <= 0 || may_be_devices) continue;
      const auto found = largest_.find(name);
      const auto largest = found == largest_.end() ? 0 : found->second;
      if (largest >= amount) continue;
      const auto text = [&, &name = name](std::int64_t of) {
        return (name == "cpu" ? api::Quantity::from_milli(of) : api::Quantity::from_units(of)).text();
      };
      return largest == 0 ? fmt::format("no shape has {}", name)
                          : fmt::format("asks for {} {}, and the largest shape has {}", text(amount), name,
                                        text(largest));
    }
    return {};
  }

  const NodeSearch& search_;
  const QuietProfiles profiles_;
  const Snapshot base_;
  Waiters waiters_;
  KnownShapes known_;
  const std::vector<KnownShape>& shapes_ = known_.list;
  std::map<std::string, std::int64_t, std::less<>> largest_;        // by resource: of all shapes
  std::set<std::pair<std::string_view, std::string_view>> labels_;  // of all shapes
  NodePlan best_;
  std::map<std::size_t, std::string> reasons_;      // by kind of pods that have no place
  std::set<std::size_t> fits_somewhere_;            // kinds of pods that one more node would take
  std::map<std::size_t, std::string> on_cordoned_;  // by kind
  std::optional<Snapshot> uncordoned_;              // the best choice, with all nodes uncordoned
  bool has_groups_ = false, has_groups_without_minimum_ = false;
  std::vector<std::pair<Waiter, std::string>> left_out_;  // pods of groups, with the reason
  NodesWanted out_;
};

}  // namespace

Result<std::optional<WantedAnswer>> find_nodes_wanted(const NodeSearch& search, Snapshot fork) {
  return Wanting(search, std::move(fork)).run();
}

}  // namespace podium::explain
