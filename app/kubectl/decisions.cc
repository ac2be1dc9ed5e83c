// `podium decisions`: the last decisions, newest first; with --watch the new ones as they come.
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <iostream>
#include <iterator>
#include <memory>
#include <set>

#include "api/text/json_view.h"
#include "app/kubectl/last_decisions.h"
#include "app/kubectl/live_cluster.h"
#include "app/kubectl/said.h"
#include "app/kubectl/verbs.h"
#include "app/render/top.h"

namespace podium::kubectl {
namespace {

constexpr std::chrono::seconds kBetweenReadings{2};
constexpr std::size_t kMostDecisions = 500;

struct DecisionsFlags {
  std::shared_ptr<Shared> shared;
  LastDecisionsOptions options;
};

class Decisions {
 public:
  Decisions(const CLI::App& command, const DecisionsFlags& flags, LiveCluster& cluster)
      : command_(command),
        output_(flags.shared->output),
        cluster_(cluster),
        last_(cluster, flags.shared->connection.all_namespaces ? std::string() : cluster.ns(),
              flags.options) {}

  int run(bool watch) {
    const auto code = next(true);
    if (!watch || code != 0) return code;
    cluster_.catch_interrupts();
    while (cluster_.pause(kBetweenReadings)) {
      if (const auto failed = next(false); failed != 0 && !cluster_.interrupted()) return failed;
    }
    return 0;
  }

 private:
  // Prints those that were not printed: the first time newest first, then as they come.
  int next(bool is_first) {
    auto read = last_.read();
    if (!read) return fail_with(command_, read.error());
    std::set<std::string> now;
    std::vector<LastDecision> fresh;
    for (auto& each : *read) {
      auto id = api::text_at(each.object, "/metadata/uid") + api::text_at(each.object, "/status/decidedAt");
      if (!printed_.contains(id)) fresh.push_back(std::move(each));
      now.insert(std::move(id));
    }
    printed_ = std::move(now);
    if (!is_first) std::ranges::reverse(fresh);
    if (!is_first && fresh.empty()) return 0;
    return print(is_first ? table(std::move(fresh), true) : table(std::move(fresh), false));
  }

  Said table(std::vector<LastDecision> decisions, bool with_heading) {
    if (!output_.is_for_people()) {
      std::vector<boost::json::value> objects;
      std::vector<std::string> names;
      for (auto& each : decisions) {
        names.push_back(report_name(each.object));
        objects.push_back(std::move(each.object));
      }
      return documented(command_, output_, as_list(std::move(objects)), names);
    }
    if (decisions.empty()) return {.out = "No decision is reported.\n"};
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

  const CLI::App& command_;
  const Output& output_;
  LiveCluster& cluster_;
  LastDecisions last_;
  std::set<std::string> printed_;  // of the last reading
  std::vector<std::size_t> widths_;
};

int run_decisions(const CLI::App& command, const DecisionsFlags& flags) {
  auto cluster = LiveCluster::connect(flags.shared->connection);
  if (!cluster) return fail_with(command, cluster.error());
  return Decisions(command, flags, **cluster).run(flags.shared->watch);
}

}  // namespace

std::function<int()> declare_decisions(CLI::App& command, const std::shared_ptr<Shared>& shared) {
  const auto flags = std::make_shared<DecisionsFlags>();
  flags->shared = shared;
  command.add_option("POD", flags->options.prefix, "only of pods whose name begins like this");
  command
      .add_option("--outcome", flags->options.outcome,
                  "only of this outcome: Scheduled, Unschedulable, Failed, Gated")
      ->type_name("OUTCOME")
      ->check(CLI::IsMember({"Scheduled", "Unschedulable", "Failed", "Gated"}));
  command.add_option("--limit", flags->options.most, "how many at most")
      ->type_name("N")
      ->check(CLI::Range(std::size_t{1}, kMostDecisions))
      ->capture_default_str();
  return [&command, flags] { return run_decisions(command, *flags); };
}

}  // namespace podium::kubectl
