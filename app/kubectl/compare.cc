// `podium compare`: what a change of the scheduler's configuration would do, on a dump.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <iostream>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "app/config/config_changes.h"
#include "app/kubectl/command_output.h"
#include "app/kubectl/compare_weights.h"
#include "app/kubectl/verbs.h"
#include "app/offline/dump.h"
#include "app/offline/offline_cluster.h"
#include "app/render/text.h"
#include "base/counted.h"
#include "explain/answer/node_search.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;

using explain::ComparedPod;
using explain::ComparedSide;
using explain::ConfigComparison;
using explain::WaitingFor;
using explain::ZoneUse;

constexpr std::size_t kChangesShown = 12, kReasonsShown = 6, kZonesShown = 6, kPodsNamed = 3,
                      kValueShown = 60;  // characters

struct CompareFlags {
  std::shared_ptr<Shared> shared;
  std::vector<std::string> files;    // [OLD] NEW
  std::vector<std::string> weights;  // instead: STRATEGY=WEIGHT[,…]
};

struct Compared {
  std::vector<app::ConfigChange> changes;
  ConfigComparison placed;
};

// --- words ---

// Whole objects come and go; they are in the files.
std::string change_line(const app::ConfigChange& change) {
  const auto value = [](const std::string& text) {
    return render::shortened(render::printable(text), kValueShown);
  };
  const auto is_object = [](const std::string& text) { return text.starts_with('{'); };
  const auto path = render::printable(change.path);
  const auto &before = change.old_value, &after = change.new_value;
  if (!before) return fmt::format("{}: added{}", path, is_object(*after) ? "" : ": " + value(*after));
  if (!after) return fmt::format("{}: removed{}", path, is_object(*before) ? "" : ": " + value(*before));
  return fmt::format("{}: {} → {}", path, value(*before), value(*after));
}

std::string change_lines(const std::vector<app::ConfigChange>& changes) {
  if (changes.empty()) return "The configurations do not differ.\n";
  std::string out;
  for (std::size_t i = 0; i < std::min(changes.size(), kChangesShown); ++i)
    out += change_line(changes[i]) + "\n";
  if (changes.size() > kChangesShown)
    out += fmt::format("and {}.\n", podium::counted(changes.size() - kChangesShown, "more change"));
  return out;
}

std::string placed_line(const ConfigComparison& placed) {
  auto out =
      fmt::format("Each configuration places {} again, on empty nodes", podium::counted(placed.pods, "pod"));
  if (placed.staying > 0)
    out += fmt::format("; {} where {} (of DaemonSets, static, terminating, or of other schedulers)",
                       podium::counted(placed.staying, "pod stays", "pods stay"),
                       placed.staying == 1 ? "it is" : "they are");
  out += ".";
  std::vector<std::string> left_out;
  if (placed.gated > 0) left_out.push_back(podium::counted(placed.gated, "pod is gated", "pods are gated"));
  if (placed.other_scheduler > 0)
    left_out.push_back(podium::counted(placed.other_scheduler, "pod belongs to another scheduler",
                                       "pods belong to other schedulers"));
  if (!left_out.empty()) out += fmt::format(" Not placed: {}.", fmt::join(left_out, ", "));
  return out + "\n";
}

// Pods that wait for one reason with each configuration.
struct Pending {
  std::string_view reason;
  std::size_t before = 0, after = 0;
  std::size_t most() const { return std::max(before, after); }
};

// Those of the most pods first. Each pod may have a reason of its own.
std::vector<Pending> pending_of(const ConfigComparison& placed) {
  std::vector<Pending> out;
  std::map<std::string_view, std::size_t> known;  // its index
  const auto of = [&](const WaitingFor& each) -> Pending& {
    const auto [found, is_new] = known.try_emplace(each.reason, out.size());
    if (is_new) out.push_back({each.reason});
    return out[found->second];
  };
  for (const auto& each : placed.old_side.waiting) of(each).before += each.pods;
  for (const auto& each : placed.new_side.waiting) of(each).after += each.pods;
  std::ranges::stable_sort(out, std::ranges::greater(), &Pending::most);
  return out;
}

void add_zones(const ConfigComparison& placed, std::vector<render::Cells>& rows) {
  struct Row {
    std::string what;
    std::size_t before, after;
    std::size_t difference() const { return std::max(before, after) - std::min(before, after); }
  };
  std::vector<Row> zones;
  for (std::size_t i = 0; i < placed.old_side.zones.size(); ++i) {
    const auto &before = placed.old_side.zones[i], &after = placed.new_side.zones[i];
    const auto name = render::printable(before.zone);
    zones.push_back({name + " cpu", before.cpu_percent, after.cpu_percent});
    zones.push_back({name + " memory", before.memory_percent, after.memory_percent});
  }
  const auto is_cut = zones.size() > kZonesShown;
  if (is_cut) {
    std::ranges::stable_sort(zones, std::ranges::greater(), &Row::difference);
    zones.resize(kZonesShown);
  }
  for (const auto& zone : zones)
    rows.push_back({zone.what, fmt::format("{}%", zone.before), fmt::format("{}%", zone.after)});
}

std::string side_table(const ConfigComparison& placed, const render::Options& options) {
  const auto &before = placed.old_side, &after = placed.new_side;
  std::vector<render::Cells> rows{{"", "OLD", "NEW"}};
  const auto add = [&](std::string what, std::size_t a, std::size_t b) {
    rows.push_back({std::move(what), fmt::to_string(a), fmt::to_string(b)});
  };
  add("placed", before.placed, after.placed);
  const auto pending = pending_of(placed);
  std::size_t more_before = 0, more_after = 0;
  for (std::size_t i = 0; i < pending.size(); ++i) {
    const auto& [reason, a, b] = pending[i];
    if (i < kReasonsShown) {
      add("pending: " + render::printable(reason), a, b);
    } else {
      more_before += a;
      more_after += b;
    }
  }
  if (more_before + more_after > 0) add("pending: other reasons", more_before, more_after);
  add("nodes in use", before.nodes_in_use, after.nodes_in_use);
  add_zones(placed, rows);
  constexpr std::size_t kLeast = 24;
  return render::table(rows, {render::Align::left, render::Align::right}, 2,
                       {options.columns, {{0, kLeast}}});
}

std::string name_of(const ComparedPod& pod) {
  return render::printable(fmt::format("{}/{}", pod.ns, pod.name));
}

std::string pod_line(const std::vector<ComparedPod>& pods, const char* one, const char* many) {
  if (pods.empty()) return {};
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(pods.size(), kPodsNamed); ++i) names.push_back(name_of(pods[i]));
  auto out = fmt::format("{}: {}", podium::counted(pods.size(), one, many), fmt::join(names, ", "));
  if (pods.size() > kPodsNamed) out += fmt::format(" and {} more", pods.size() - kPodsNamed);
  return out + ".\n";
}

std::string pod_table(const ConfigComparison& placed) {
  std::vector<render::Cells> rows{{"POD", "OLD", "NEW", "REASON"}};
  const auto text = [](const std::string& node) { return node.empty() ? "-" : render::printable(node); };
  for (const auto* pods : {&placed.lost, &placed.gained}) {
    for (const auto& pod : *pods)
      rows.push_back({name_of(pod), text(pod.old_node), text(pod.new_node), render::printable(pod.reason)});
  }
  return rows.size() == 1 ? std::string() : render::table(rows, {render::Align::left}, 0);
}

std::string words_of(const Compared& compared, const render::Options& options) {
  const auto& placed = compared.placed;
  auto out = change_lines(compared.changes) + placed_line(placed) + side_table(placed, options);
  const auto& style = options.style;
  const auto moved = placed.moved.size();
  out += moved == 0 ? "No pod is placed on another node.\n"
                    : fmt::format("{} on another node.\n",
                                  podium::counted(moved, "pod is placed", "pods are placed"));
  out += style.bad(pod_line(placed.lost, "pod loses its place", "pods lose their place"));
  out += style.good(pod_line(placed.gained, "pod gains a place", "pods gain a place"));
  if (options.wide) out += pod_table(placed);
  return out + "Running pods stay on their nodes when the configuration changes; new ones follow it.\n";
}

// --- the document ---

json::array document_of(const std::vector<ComparedPod>& pods) {
  json::array out;
  for (const auto& pod : pods) {
    json::object one{{"namespace", pod.ns}, {"name", pod.name}};
    if (!pod.old_node.empty()) one["oldNode"] = pod.old_node;
    if (!pod.new_node.empty()) one["newNode"] = pod.new_node;
    if (!pod.reason.empty()) one["reason"] = pod.reason;
    out.push_back(std::move(one));
  }
  return out;
}

json::object document_of(const ComparedSide& side) {
  json::array waiting, zones;
  for (const auto& each : side.waiting)
    waiting.push_back(json::object{{"reason", each.reason}, {"pods", each.pods}});
  for (const auto& each : side.zones)
    zones.push_back(json::object{
        {"name", each.zone}, {"cpuPercent", each.cpu_percent}, {"memoryPercent", each.memory_percent}});
  return {{"placed", side.placed},
          {"nodesInUse", side.nodes_in_use},
          {"pending", std::move(waiting)},
          {"zones", std::move(zones)}};
}

json::value document_of(const Compared& compared) {
  const auto& placed = compared.placed;
  json::array changes;
  for (const auto& each : compared.changes) {
    json::object one{{"path", each.path}};
    if (each.old_value) one["old"] = *each.old_value;
    if (each.new_value) one["new"] = *each.new_value;
    changes.push_back(std::move(one));
  }
  return json::object{{"changes", std::move(changes)},
                      {"pods", placed.pods},
                      {"staying", placed.staying},
                      {"gated", placed.gated},
                      {"otherScheduler", placed.other_scheduler},
                      {"old", document_of(placed.old_side)},
                      {"new", document_of(placed.new_side)},
                      {"moved", document_of(placed.moved)},
                      {"lost", document_of(placed.lost)},
                      {"gained", document_of(placed.gained)}};
}

int run_compare(const CLI::App& command, const CompareFlags& flags) {
  const auto& shared = *flags.shared;
  auto problems = problems_of(shared);
  if (flags.files.empty() == flags.weights.empty())
    problems.add("give the configurations [OLD] NEW, or --weights");
  else if (!flags.weights.empty())
    return run_compare_weights(command, shared, flags.weights);
  if (flags.files.size() > 2) problems.add("give at most two configurations: OLD and NEW");
  if (problems) return fail_with(command, problems.error());
  const bool has_old = flags.files.size() == 2;
  if (has_old && !shared.connection.config.empty())
    problems.add("--config: is the old configuration; OLD names another one");
  if (shared.connection.dump.empty())
    problems.add(
        "--cluster is required: a dump, or - for standard input: podium dump | podium compare OLD NEW "
        "--cluster -");
  if (problems) return fail_with(command, problems.error());
  std::vector<std::string> warnings;
  const auto& old_file = has_old ? flags.files.front() : shared.connection.config;
  auto old_config = problems.value_of(offline::read_config(old_file, {}, warnings));
  auto new_warnings = warnings;
  auto new_config = problems.value_of(offline::read_config(flags.files.back(), {}, new_warnings));
  if (problems) return fail_with(command, problems.error());
  for (auto& warning : new_warnings) {
    if (std::ranges::find(warnings, warning) == warnings.end()) warnings.push_back(std::move(warning));
  }
  const auto dump = offline::Dump::read({.cluster = shared.connection.dump});
  if (!dump) return fail_with(command, dump.error());
  warnings.insert(warnings.end(), dump->warnings().begin(), dump->warnings().end());
  for (const auto& warning : warnings) std::cerr << "warning: " << render::printable(warning) << '\n';

  Compared compared{app::config_changes(old_config->view, new_config->view),
                    dump->compare(*old_config, *new_config)};
  if (!compared.placed.is_finished) return fail_with(command, {.message = explain::kNotAllPlaced});
  std::vector<std::string> names;  // of the pods that lose their place
  for (const auto& pod : compared.placed.lost) names.push_back("pod/" + pod.name);
  return print(answered(command, shared.output, document_of(compared), names, [&] {
    return words_of(compared, render_options(shared.output, program_of(command)));
  }));
}

}  // namespace

std::function<int()> declare_compare(CLI::App& command, const std::shared_ptr<Shared>& shared) {
  const auto flags = std::make_shared<CompareFlags>();
  flags->shared = shared;
  command
      .add_option("CONFIG", flags->files,
                  "KubeSchedulerConfigurations: the old one (default: --config, or that of kube-scheduler), "
                  "and the new one")
      ->expected(1, 2)
      ->type_name("FILE");
  command
      .add_option("--weights", flags->weights,
                  "instead of configurations: weights of strategies, in place of the profiles': "
                  "NodeResourcesFit=5; 0 switches one off")
      ->type_name("STRATEGY=WEIGHT");
  return [&command, flags] { return run_compare(command, *flags); };
}

}  // namespace podium::kubectl
