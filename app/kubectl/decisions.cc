// `podium decisions`: the last decisions, newest first; with --watch the new ones as they come.
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <iterator>
#include <memory>
#include <set>

#include "api/text/json_view.h"
#include "app/kubectl/command_output.h"
#include "app/kubectl/last_decisions.h"
#include "app/kubectl/live_cluster.h"
#include "app/kubectl/targets.h"
#include "app/kubectl/verbs.h"
#include "app/kubectl/waiting_pods.h"
#include "app/render/text.h"
#include "app/render/top.h"
#include "app/render/values.h"
#include "base/clock.h"

namespace podium::kubectl {
namespace {

constexpr std::chrono::seconds kBetweenReadings{2};
constexpr std::chrono::hours kLongest{24 * 365};
constexpr std::int64_t kMostDecisions = 500, kDecisions = 20;

struct DecisionsFlags {
  std::shared_ptr<Shared> shared;
  LastDecisionsOptions options;
  std::size_t limit = 0;  // 0: not given
  std::string since;
};

class Decisions {
 public:
  Decisions(const CLI::App& command, const DecisionsFlags& flags, LiveCluster& cluster)
      : command_(command),
        output_(flags.shared->output),
        cluster_(cluster),
        since_(flags.since),
        ns_(flags.shared->connection.all_namespaces ? std::string() : cluster.ns()),
        prefix_(flags.options.prefix),
        last_(cluster, ns_, flags.options) {}

  int run(bool watch) {
    watches_ = watch;
    // Ctrl-C is the normal end, also of the first reading.
    if (watch) cluster_.catch_interrupts(true);
    const auto code = next(true);
    if (code != 0 || cluster_.interrupted()) return cluster_.interrupted() ? 0 : code;
    // A watch also waits for a pod that is not there yet.
    if (printed_.empty()) {
      if (const auto missing = what_is_missing(!watch); !missing.empty())
        return print({.err = missing, .code = 1});
    }
    if (!watch) return code;
    while (cluster_.pause(kBetweenReadings)) {
      if (const auto failed = next(false); failed != 0 && !cluster_.interrupted()) return failed;
    }
    return 0;
  }

 private:
  // Says that the namespace or the pod does not exist. Empty: both exist, or the user may not see that.
  std::string what_is_missing(bool with_pod) {
    if (!ns_.empty()) {
      if (auto missing = no_namespace(cluster_, ns_); !missing.empty()) return missing;
    }
    if (!with_pod || prefix_.empty()) return {};
    client::ListOptions names;
    names.metadata_only = true;
    const auto pods = cluster_.list(client::resource::pods, ns_, names);
    if (!pods) return {};
    const bool is_there = std::ranges::any_of(*pods, [&](const boost::json::value& pod) {
      return api::text_at(pod, "/metadata/name").starts_with(prefix_);
    });
    return is_there ? std::string()
                    : fmt::format("There is no pod{} whose name begins with {}.\n", where_of(ns_),
                                  render::printable(prefix_));
  }

  // Prints those that were not printed: the first time newest first, then as they come.
  int next(bool is_first) {
    auto read = last_.read();
    if (!read && cluster_.interrupted()) return 0;
    if (!read) return fail_with(command_, read.error());
    std::set<std::string> now;
    std::vector<LastDecision> fresh;
    for (auto& each : *read) {
      auto id = api::text_at(each.object, "/metadata/uid") + api::text_at(each.object, "/status/decidedAt");
      if (!printed_.contains(id)) fresh.push_back(std::move(each));
      now.insert(std::move(id));
    }
    printed_ = now;
    if (!is_first) std::ranges::reverse(fresh);
    if (!is_first && fresh.empty()) return 0;
    const bool is_cut = is_first && !since_.empty() && last_.is_cut();
    auto result = table(std::move(fresh), is_first);
    if (is_cut) result.err += fmt::format("There are more: these are the last {}.\n", now.size());
    return print(result);
  }

  CommandOutput table(std::vector<LastDecision> decisions, bool with_heading) {
    if (!output_.is_for_people() && watches_) return stream(std::move(decisions), with_heading);
    if (!output_.is_for_people()) {
      std::vector<boost::json::value> objects;
      std::vector<std::string> names;
      for (auto& each : decisions) {
        names.push_back(report_name(each.object));
        objects.push_back(std::move(each.object));
      }
      return documented(command_, output_, as_list(std::move(objects)), names);
    }
    if (decisions.empty())
      return {.out = since_.empty() ? "No decisions are reported.\n"
                                    : fmt::format("No decisions of the last {} are reported.\n", since_)};
    const auto options = render_options(output_, program_of(command_));
    std::vector<render::Cells> rows;
    if (with_heading) rows.push_back(render::decision_heading());
    for (const auto& each : decisions) rows.push_back(render::decision_cells(each.report, options));
    // Later lines stay in the columns of those above.
    for (auto& row : rows) {
      widths_.resize(std::max(widths_.size(), row.size()));
      for (std::size_t i = 0; i + 1 < row.size(); ++i)
        widths_[i] = std::max(widths_[i], render::width(row[i]));
    }
    for (std::size_t i = 0; i + 1 < rows.front().size(); ++i) {
      auto& cell = rows.front()[i];
      const std::string missing(widths_[i] - render::width(cell), ' ');
      cell = i == 0 ? missing + cell : cell + missing;
    }
    return {.out = render::table(rows, {render::Align::right, render::Align::left}, 0)};
  }

  // A document for each decision, in the order of the decisions.
  CommandOutput stream(std::vector<LastDecision> decisions, bool is_newest_first) {
    if (is_newest_first) std::ranges::reverse(decisions);
    CommandOutput out;
    for (const auto& each : decisions) {
      auto one = documented(command_, output_, each.object, {report_name(each.object)});
      if (one.code != 0) return one;
      if (output_.format == "yaml") out.out += "---\n";
      out.out += one.out;
    }
    return out;
  }

  const CLI::App& command_;
  const Output& output_;
  LiveCluster& cluster_;
  bool watches_ = false;
  const std::string since_;   // empty: any time
  const std::string ns_;      // empty: all
  const std::string prefix_;  // of the pods' names
  LastDecisions last_;
  std::set<std::string> printed_;  // of the last reading
  std::vector<std::size_t> widths_;
};

int run_decisions(const CLI::App& command, DecisionsFlags flags) {
  auto problems = problems_of(*flags.shared);
  if (!flags.since.empty()) {
    if (const auto age = problems.value_of(parse_duration("--since", flags.since, kLongest)))
      flags.options.not_before = system_clock().wall() - *age;
  }
  auto connection = flags.shared->connection;
  if (const auto pods = problems.value_of(parse_pod_prefix(flags.options.prefix, connection.ns))) {
    flags.options.prefix = pods->name;
    if (!pods->ns.empty() && connection.all_namespaces)
      problems.add(
          fmt::format("-A: cannot be combined with a namespace, as in \"{}/{}\"", pods->ns, pods->name));
    if (!pods->ns.empty()) connection.ns = pods->ns;
  }
  if (problems) return fail_with(command, problems.error());
  flags.options.most = flags.limit > 0 ? flags.limit : flags.since.empty() ? kDecisions : kMostDecisions;
  auto cluster = LiveCluster::connect(connection);
  if (!cluster) return fail_with(command, cluster.error());
  return Decisions(command, flags, **cluster).run(flags.shared->watch);
}

}  // namespace

std::function<int()> declare_decisions(CLI::App& command, const std::shared_ptr<Shared>& shared) {
  const auto flags = std::make_shared<DecisionsFlags>();
  flags->shared = shared;
  command.add_option("POD", flags->options.prefix, "only decisions on pods whose names start with POD");
  render::add_choice(command, shared->wrong, "--outcome", flags->options.outcome,
                     {"Scheduled", "Binding", "Unschedulable", "Failed", "Gated"},
                     "only decisions with this outcome: Scheduled, Binding, Unschedulable, Failed, Gated")
      ->type_name("OUTCOME");
  command.add_option("--since", flags->since, "only decisions of the last TIME, such as 90s, 30m or 1h30m")
      ->type_name("TIME");
  render::add_number(
      command, shared->wrong, "--limit", flags->limit, {1, kMostDecisions},
      fmt::format("maximum number of decisions (default: {}; with --since {})", kDecisions, kMostDecisions));
  return [&command, flags] { return run_decisions(command, *flags); };
}

}  // namespace podium::kubectl
