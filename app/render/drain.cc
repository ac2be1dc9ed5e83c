#include "app/render/drain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <map>
#include <memory>

#include "api/decode/decode.h"
#include "api/text/json_view.h"
#include "api/values/drained_pod.h"
#include "api/values/objects.h"
#include "api/values/pod.h"
#include "api/values/quantity.h"
#include "app/render/amounts.h"
#include "app/render/exit_codes.h"
#include "app/render/object_text.h"
#include "app/render/words.h"
#include "explain/report/reason_words.h"
#include "explain/workload/eviction_budgets.h"

namespace podium::render {
namespace {

namespace json = boost::json;

constexpr std::size_t kNamed = 3;

std::string full_name(const NodePod& pod) { return pod.ns + "/" + pod.name; }

std::size_t count_code(const Drain& drain, std::string_view code) {
  return static_cast<std::size_t>(std::ranges::count_if(
      drain.pods, [&](const NodePod& pod) { return pod.answer && pod.answer->code == code; }));
}

}  // namespace

std::string drain_verdict(const Drain& drain, const Style& style) {
  if (drain.evicted == 0 && drain.is_failure)
    return style.good(fmt::format("If {} {}, no pod loses its place", listed(drain.nodes, kNamed),
                                  drain.nodes.size() == 1 ? "fails" : "fail")) +
           ".\n";
  if (drain.evicted == 0)
    return style.good(fmt::format("{} {} no pods to evict", listed(drain.nodes, kNamed),
                                  drain.nodes.size() == 1 ? "has" : "have")) +
           ".\n";
  auto counts = fmt::format("{} of {}", drain.moved, counted(drain.evicted, "pod"));
  if (drain.preempted > 0) counts += fmt::format(" ({} to make room for the others)", drain.preempted);
  const auto verb = drain.evicted == 1 || drain.moved == 1 ? "has" : "have";
  if (drain.moved == drain.evicted) {
    return style.good(fmt::format("{} {} a new place", counts, verb)) + "; nothing would wait.\n";
  }
  std::vector<std::string> rest;
  if (drain.pending > 0) rest.push_back(fmt::format("{} would wait", drain.pending));
  const auto others = drain.evicted - drain.moved - std::min(drain.pending, drain.evicted - drain.moved);
  // An older podium only names them.
  const auto gone = std::min(others, std::max(drain.gone, count_code(drain, "NoController")));
  if (gone > 0) rest.push_back(fmt::format("{} without a controller would be lost", gone));
  if (others > gone) rest.push_back(fmt::format("{} could not be evaluated", others - gone));
  const auto words = fmt::format("{} {} a new place", counts, verb);
  return (drain.moved ? style.warn(words) : style.bad(words)) + fmt::format("; {}.\n", fmt::join(rest, ", "));
}

namespace {

// The reason that rejected the most nodes. An older podium does not count them.
std::string held_by(const explain::DrainedPod& pod) {
  const auto words =
      pod.cause ? explain::reason_words(pod.cause->code, pod.cause->about, pod.reason) : pod.reason;
  if (pod.cause && explain::is_of_pod(pod.cause->code)) return ": " + words;
  if (!pod.cause && pod.nodes_total == 0) return ": " + words;
  const bool are_most = 2 * pod.nodes > pod.nodes_total && pod.nodes < pod.nodes_total;
  const auto who = pod.nodes_total == 0 ? std::string("some")
                   : are_most           ? std::string("most")
                                        : fmt::format("{} of {}", pod.nodes, pod.nodes_total);
  if (!pod.cause || words == pod.reason) return fmt::format("; {}: {}", who, words);
  return fmt::format("; {} {}", who, pod.nodes == 1 ? words : explain::plural_of(words));
}

// Those of the answer that the pod's object and the budgets do not say: the pods that it evicts.
std::vector<std::string> warnings_of(const NodePod& pod, bool is_failure) {
  auto out = is_failure ? std::vector<std::string>() : pod.warnings;
  if (!pod.answer) return out;
  for (const auto& each : pod.answer->warnings) {
    const auto is_known = [&](const auto& list) { return std::ranges::find(list, each) != list.end(); };
    if (!is_known(out) && !is_known(pod.obstacles)) out.push_back(each);
  }
  return out;
}

// Why the pod has no place, or the obstacles to its eviction. A failure respects none.
std::vector<std::string> remarks(const NodePod& pod, bool is_failure, const Options& options) {
  std::vector<std::string> out;
  if (!pod.answer) {
    out.emplace_back("? podium does not name it");
  } else if (pod.answer->node.empty()) {
    out.push_back(options.style.bad("✗ " + no_place(*pod.answer, pod.scheduler)));
  }
  if (pod.answer && !pod.answer->made_room_for.empty())
    out.push_back(options.style.warn("! evicted to make room for " + pod.answer->made_room_for));
  for (const auto& obstacle : pod.obstacles) out.push_back(options.style.warn("! " + obstacle));
  for (const auto& warning : warnings_of(pod, is_failure)) out.push_back(options.style.warn("! " + warning));
  return out;
}

bool is_unnamed(const NodePod& pod) { return pod.stays == NodePod::Stays::no && !pod.answer; }

// An answer names some tens of pods of a namespace. The budgets of the others are known from their objects.
std::string unnamed_line(const Drain& drain) {
  std::vector<std::string> names;
  std::map<std::string, std::size_t> obstacles;
  for (const auto& pod : drain.pods) {
    if (!is_unnamed(pod)) continue;
    names.push_back(full_name(pod));
    for (const auto& obstacle : pod.obstacles) ++obstacles[obstacle];
  }
  auto out = fmt::format("? podium does not say where {} go: {}.\n", counted(names.size(), "more pod"),
                         listed(names, kNamed));
  for (const auto& [obstacle, pods] : obstacles) out += fmt::format("! {} of these: {}.\n", pods, obstacle);
  return out;
}

std::string pods_that_move(const Drain& drain, const Options& options) {
  const bool has_from = drain.nodes.size() > 1;
  const auto unnamed = std::ranges::count_if(drain.pods, is_unnamed);
  const bool is_folded = unnamed > 1;
  std::vector<Cells> rows{{"POD", "GOES TO", "SCORE", "NODES THAT FIT"}};
  if (has_from) rows.front().insert(rows.front().begin() + 1, "FROM");
  for (const auto& pod : drain.pods) {
    if (pod.stays != NodePod::Stays::no) continue;
    if (!pod.answer && is_folded) continue;
    const bool moves = pod.answer && !pod.answer->node.empty();
    Cells row{full_name(pod), moves ? pod.answer->node : "-",
              moves && pod.answer->score ? fmt::to_string(*pod.answer->score) : "-",
              moves && pod.answer->feasible ? fmt::to_string(*pod.answer->feasible) : "-"};
    if (has_from) row.insert(row.begin() + 1, pod.node);
    if (const auto marks = remarks(pod, drain.is_failure, options); !marks.empty())
      row.push_back(fmt::format("{}", fmt::join(marks, "; ")));
    rows.push_back(std::move(row));
  }
  const auto folded = is_folded ? unnamed_line(drain) : std::string();
  if (rows.size() == 1) return folded;
  std::vector<Align> columns{Align::left, Align::left, Align::right, Align::right, Align::left};
  if (has_from) columns.insert(columns.begin(), Align::left);
  const std::size_t from = has_from ? 1 : 0;
  return table(rows, columns, 0, {options.columns, {{from + 4, 20}, {0, 16}}}) + folded;
}

// After a failure, lists only the pods without a place, which podium names first.
std::string pods_that_wait(const Drain& drain, const Options& options) {
  std::vector<Cells> rows{{"POD", "WAS ON", "WHY IT HAS NO PLACE"}};
  for (const auto& pod : drain.pods) {
    if (pod.stays != NodePod::Stays::no || !pod.answer || !pod.answer->node.empty()) continue;
    rows.push_back({full_name(pod), pod.node,
                    fmt::format("{}", fmt::join(remarks(pod, drain.is_failure, options), "; "))});
  }
  std::string out;
  const auto without = drain.evicted - std::min(drain.evicted, drain.moved);
  if (rows.size() > 1) out = table(rows, {Align::left}, 0, {options.columns, {{2, 20}, {0, 16}}});
  if (const auto named = rows.size() - 1; named < without)
    out += fmt::format("{}{} without a place {} not named.\n", named > 0 ? "and " : "",
                       counted(without - named, "pod"), without - named == 1 ? "is" : "are");
  return out;
}

std::string gone_or_kept(const Drain& drain) {
  std::vector<std::string> parts;
  const auto add = [&](NodePod::Stays why, const char* one, const char* many) {
    std::vector<std::string> names;
    for (const auto& pod : drain.pods) {
      if (pod.stays == why) names.push_back(full_name(pod));
    }
    if (!names.empty())
      parts.push_back(fmt::format("{} ({})", counted(names.size(), one, many), listed(names, kNamed)));
  };
  add(NodePod::Stays::daemon_set, "pod of a DaemonSet", "pods of DaemonSets");
  add(NodePod::Stays::is_static, "static pod", "static pods");
  add(NodePod::Stays::terminates, "pod that is terminating", "pods that are terminating");
  if (parts.empty()) return {};
  return fmt::format("{}: {}.\n", drain.is_failure ? "Gone with their nodes" : "Not evicted",
                     fmt::join(parts, ", "));
}

std::string not_named(std::size_t pods) {
  return fmt::format("{} of namespaces that you may not list {} counted and not named.\n",
                     counted(pods, "pod"), pods == 1 ? "is" : "are");
}

std::string unnamed_budgets(const Drain& drain) {
  if (drain.budgets_broken <= drain.budgets_named) return {};
  const auto unnamed = drain.budgets_broken - drain.budgets_named;
  return fmt::format("! {} that you may not see {} not allow all of these evictions now.\n",
                     counted(unnamed, "PodDisruptionBudget"), unnamed == 1 ? "does" : "do");
}

std::string unknown(const Drain& drain) {
  std::string out;
  const auto seen = static_cast<std::size_t>(
      std::ranges::count_if(drain.pods, [](const NodePod& pod) { return pod.stays == NodePod::Stays::no; }));
  if (!drain.sees_all && drain.evicted > seen) out += not_named(drain.evicted - seen);
  if (drain.sees_all && drain.preempted > 0 && drain.evicted > seen)
    out += fmt::format("{} of other namespaces, evicted to make room, {} counted and not named.\n",
                       counted(drain.evicted - seen, "pod"), drain.evicted - seen == 1 ? "is" : "are");
  return out + unasked_lines(drain.unasked, "evaluated") + unnamed_budgets(drain) +
         other_schedulers_line(drain.of_other_schedulers);
}

std::string got_node(const Drain& drain) {
  if (drain.waiting_placed == 0) return {};
  const auto words = counted(drain.waiting_placed, "pending pod gets a node", "pending pods get a node");
  return drain.got_node.empty()
             ? words + ".\n"
             : fmt::format("{}: {}.\n", words, listed(drain.got_node, kNamed, drain.waiting_placed));
}

std::string fullest(const Drain& drain) {
  std::vector<std::string> nodes;
  for (const auto& full : drain.fullest)
    nodes.push_back(fmt::format("{} {} {}%", full.node, full.resource, full.percent));
  return nodes.empty() ? "" : fmt::format("Fullest afterwards: {}.\n", fmt::join(nodes, ", "));
}

std::string spare(const Drain& drain) {
  std::vector<std::string> amounts;
  for (const auto& [resource, amount] : drain.spare) {
    const auto quantity = api::Quantity::parse(amount);
    amounts.push_back(fmt::format("{} {}", quantity ? rounded_down(resource, *quantity) : amount, resource));
  }
  return amounts.empty() ? "" : fmt::format("Free afterwards: {}.\n", fmt::join(amounts, ", "));
}

// The kubectl command with the flags that it needs here.
std::string command(const Drain& drain) {
  const auto any = [&](auto has) { return std::ranges::any_of(drain.pods, has); };
  auto out = fmt::format("kubectl drain {}", fmt::join(drain.nodes, " "));
  if (any([](const NodePod& pod) { return pod.stays == NodePod::Stays::daemon_set; }))
    out += " --ignore-daemonsets";
  const auto goes = [](const NodePod& pod) {
    const bool is_on_node = pod.stays == NodePod::Stays::no || pod.stays == NodePod::Stays::terminates;
    return is_on_node && (!pod.answer || pod.answer->made_room_for.empty());
  };
  if (any([&](const NodePod& pod) { return goes(pod) && pod.has_local_data; }))
    out += " --delete-emptydir-data";
  if (any([&](const NodePod& pod) { return goes(pod) && !pod.has_controller; })) out += " --force";
  return out;
}

const char* stays_words(NodePod::Stays stays) {
  if (stays == NodePod::Stays::terminates) return "terminating";
  return stays == NodePod::Stays::daemon_set ? "DaemonSet" : "static";
}

json::array namespaces_of(const Unasked& unasked) {
  json::array out(unasked.forbidden.begin(), unasked.forbidden.end());
  for (const auto& ns : unasked.ending) out.emplace_back(ns);
  return out;
}

NodePod::Stays stays_of(const api::Pod& pod) {
  using enum NodePod::Stays;
  if (api::is_static(pod)) return is_static;
  if (api::is_of_daemon_set(pod)) return daemon_set;
  return api::is_replaced(pod) ? terminates : no;
}

}  // namespace

std::optional<NodePod> read_node_pod(const json::value& pod) {
  const auto phase = string_at(pod, "/status/phase");
  if (phase == "Succeeded" || phase == "Failed") return std::nullopt;
  NodePod out{.ns = string_at(pod, "/metadata/namespace"),
              .name = string_at(pod, "/metadata/name"),
              .scheduler = string_at(pod, "/spec/schedulerName"),
              .node = string_at(pod, "/spec/nodeName")};
  if (auto decoded = api::decode_pod(pod)) {
    out.stays = stays_of(*decoded);
    out.has_controller = decoded->meta.controller() != nullptr;
    if (auto protection = explain::protection_of(*decoded))
      out.warnings.push_back(std::move(protection->because));
    if (const auto volume = explain::local_data_of(*decoded))
      out.warnings.push_back("has data on the node: " + *volume);
    out.object = std::make_shared<const api::Pod>(std::move(*decoded));
  }
  out.has_local_data = std::ranges::any_of(list_at(pod, "/spec/volumes"),
                                           [](const auto& v) { return api::find_at(v, "/emptyDir"); });
  return out;
}

std::string drain_notes(const Drain& drain, std::size_t seen) {
  return (drain.evicted > seen ? not_named(drain.evicted - seen) : "") + unnamed_budgets(drain) +
         other_schedulers_line(drain.of_other_schedulers) + got_node(drain) + fullest(drain) + spare(drain);
}

std::string other_schedulers_line(std::size_t pods) {
  return pods == 0 ? std::string()
                   : fmt::format("{} another scheduler; podium answers with its only profile.\n",
                                 counted(pods, "pod has", "pods have"));
}

void set_numbers(const explain::ChangeResult& change, Drain& drain) {
  drain.moved = change.pods_moved.value_or(0);
  drain.pending = change.pods_pending.value_or(0);
  drain.gone = change.pods_gone;
  drain.budgets_broken = change.budgets_broken.value_or(0);
  drain.preempted = change.pods_preempted;
  drain.waiting_placed = change.waiting_placed;
  drain.of_other_schedulers = change.of_other_schedulers;
  drain.evicted = std::max(drain.moved + drain.pending, change.pods_evicted.value_or(0));
  drain.fullest = change.fullest;
  drain.spare = change.spare;
}

std::vector<explain::BrokenBudget> find_obstacles(const std::string& ns,
                                                  const std::vector<json::value>& budgets, Drain& drain) {
  std::map<const api::Pod*, NodePod*> leaving;
  std::vector<const api::Pod*> pods;
  for (auto& pod : drain.pods) {
    if (pod.ns != ns || pod.stays != NodePod::Stays::no || !pod.object) continue;
    leaving.emplace(pod.object.get(), &pod);
    pods.push_back(pod.object.get());
  }
  explain::EvictionBudgets checked;
  std::vector<explain::BrokenBudget> exceeded;
  for (const auto& budget : budgets) {
    auto read = api::decode_pod_disruption_budget(budget);
    if (!read) continue;
    read->meta.name = printable(read->meta.name);
    if (const auto found = checked.check(*read, pods))
      exceeded.push_back(
          {.name = read->meta.name, .ns = ns, .allowed = found->allowed, .pods_total = found->pods.size()});
  }
  for (auto& [pod, matching, words] : checked.obstacles()) {
    auto& shown = *leaving.at(pod);
    shown.obstacles.push_back(std::move(words));
    if (matching.total > 1) shown.budgets = std::move(matching);
  }
  return exceeded;
}

std::string no_place(const explain::DrainedPod& pod, const std::string& scheduler) {
  if (pod.code == "NoController") return "no controller recreates it: it would be lost";
  if (pod.code == "OtherScheduler")
    return fmt::format("not evaluated: its scheduler is {}", scheduler.empty() ? "another one" : scheduler);
  if (pod.code == "NotEvaluated") return "not evaluated: the deadline passed";
  return pod.reason.empty() ? "no node fits" : "no node fits" + held_by(pod);
}

std::string drain_table(const Drain& drain, const Options& options) {
  if (drain.is_failure) {
    return drain_verdict(drain, options.style) + pods_that_wait(drain, options) + gone_or_kept(drain) +
           unknown(drain) + got_node(drain) + fullest(drain) + spare(drain) + "Nothing was changed.\n";
  }
  auto out = drain_verdict(drain, options.style) + pods_that_move(drain, options) + gone_or_kept(drain) +
             unknown(drain) + got_node(drain) + fullest(drain) + "Nothing was evicted.";
  return out + fmt::format(" To do it: {}\n", command(drain));
}

json::value drain_document(const Drain& drain) {
  json::array pods, stay, full;
  for (const auto& pod : drain.pods) {
    json::object one{{"namespace", pod.ns}, {"name", pod.name}};
    if (drain.nodes.size() > 1) one["from"] = pod.node;
    if (pod.stays != NodePod::Stays::no) {
      one["because"] = stays_words(pod.stays);
      stay.push_back(std::move(one));
      continue;
    }
    if (pod.answer) {
      if (!pod.answer->node.empty()) one["nodeName"] = pod.answer->node;
      if (pod.answer->score) one["score"] = *pod.answer->score;
      if (pod.answer->feasible) one["feasible"] = *pod.answer->feasible;
      if (!pod.answer->code.empty()) one["code"] = pod.answer->code;
      if (!pod.answer->reason.empty()) one["reason"] = pod.answer->reason;
      if (!pod.answer->made_room_for.empty()) one["madeRoomFor"] = pod.answer->made_room_for;
    }
    if (!pod.obstacles.empty()) one["obstacles"] = json::array(pod.obstacles.begin(), pod.obstacles.end());
    if (const auto warnings = warnings_of(pod, drain.is_failure); !warnings.empty())
      one["warnings"] = json::array(warnings.begin(), warnings.end());
    pods.push_back(std::move(one));
  }
  for (const auto& each : drain.fullest)
    full.push_back(
        json::object{{"nodeName", each.node}, {"resource", each.resource}, {"percent", each.percent}});
  json::object out{{"nodeNames", json::array(drain.nodes.begin(), drain.nodes.end())},
                   {"podsEvicted", drain.evicted},
                   {"podsMoved", drain.moved},
                   {"podsPending", drain.pending},
                   {"podsGone", std::max(drain.gone, count_code(drain, "NoController"))},
                   {"podsPreempted", drain.preempted},
                   {"budgetsBroken", drain.budgets_broken},
                   {"waitingPlaced", drain.waiting_placed},
                   {"podsOfOtherSchedulers", drain.of_other_schedulers},
                   {"pods", std::move(pods)},
                   {drain.is_failure ? "goneWithNodes" : "notEvicted", std::move(stay)},
                   {"fullest", std::move(full)},
                   {"namespacesNotAsked", namespaces_of(drain.unasked)}};
  if (drain.is_failure) {
    json::array spare;
    for (const auto& each : drain.spare)
      spare.push_back(json::object{{"resource", each.resource}, {"amount", each.amount}});
    out["spare"] = std::move(spare);
  }
  return out;
}

int drain_exit_code(const Drain& drain) { return code_of_fitting(drain.moved, drain.evicted); }

}  // namespace podium::render
