// `podium top`: the pods that wait and the last decisions; refreshed on a terminal, else printed once.
#include "app/render/top.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "app/kubectl/last_decisions.h"
#include "app/kubectl/live_cluster.h"
#include "app/kubectl/verbs.h"
#include "app/kubectl/waiting_pods.h"
#include "app/render/terminal.h"
#include "app/render/values.h"
#include "base/clock.h"
#include "base/time.h"

namespace podium::kubectl {
namespace {

struct TopFlags {
  std::shared_ptr<Shared> shared;
  int every = 5;
  bool once = false;
};

class Top {
 public:
  Top(const CLI::App& command, const TopFlags& flags, LiveCluster& cluster)
      : command_(command),
        flags_(flags),
        cluster_(cluster),
        ns_(flags.shared->connection.all_namespaces ? std::string() : cluster.ns()),
        decisions_(cluster, ns_) {}

  int once() {
    const auto text = view({});
    if (!text) return fail_with(command_, text.error());
    std::cout << *text;
    return 0;
  }

  int live() {
    cluster_.catch_interrupts(true);
    auto size = render::terminal_size();
    auto text = view(below_heading(size));
    if (cluster_.interrupted()) return 0;
    if (!text) return fail_with(command_, text.error());
    render::AlternateScreen screen;
    while (!cluster_.interrupted()) {
      screen.show(render::cut_to(heading(text ? "" : text.error().text()) + text.value_or(""), size));
      cluster_.pause(std::chrono::seconds(flags_.every));
      if (cluster_.interrupted()) break;
      size = render::terminal_size();
      text = view(below_heading(size));
    }
    return 0;
  }

 private:
  static render::Screen below_heading(render::Screen size) {
    return {size.rows > 2 ? size.rows - 2 : 1, size.columns};
  }

  std::string heading(const std::string& error) const {
    const auto time = format_time(system_clock().wall()).substr(11, 8);
    return fmt::format("{} top {}, {} UTC, every {} s; Ctrl-C ends it.\n{}\n", program_of(command_),
                       ns_.empty() ? "-A" : "-n " + ns_, time, flags_.every,
                       error.empty() ? "" : "The last read failed: " + render::printable(error));
  }

  Result<std::string> view(const render::Screen& screen) {
    const auto waiting = waiting_groups(cluster_, ns_, std::string());
    if (!waiting) return std::unexpected(waiting.error());
    std::vector<render::Report> decisions;
    if (waiting->installed) {
      auto read = decisions_.read();
      if (!read) return std::unexpected(read.error());
      for (auto& each : *read) decisions.push_back(std::move(each.report));
    }
    const auto program = waiting->installed ? program_of(command_) : std::string();
    auto options = render_options(flags_.shared->output, program);
    options.where = where_of(ns_);
    return render::top(waiting->groups, std::move(decisions), screen, options);
  }

  const CLI::App& command_;
  const TopFlags& flags_;
  LiveCluster& cluster_;
  const std::string ns_;
  LastDecisions decisions_;
};

int run_top(const CLI::App& command, const TopFlags& flags) {
  if (const auto problems = problems_of(*flags.shared)) return fail_with(command, problems.error());
  auto cluster = LiveCluster::connect(flags.shared->connection);
  if (!cluster) return fail_with(command, cluster.error());
  Top top(command, flags, **cluster);
  return flags.once || !render::is_terminal() ? top.once() : top.live();
}

}  // namespace

std::function<int()> declare_top(CLI::App& command, const std::shared_ptr<Shared>& shared) {
  const auto flags = std::make_shared<TopFlags>();
  flags->shared = shared;
  render::add_number(command, shared->wrong, "--every", flags->every, {1, 3600}, "seconds between two views")
      ->type_name("SECONDS")
      ->default_str("5");
  command.add_flag("--once", flags->once, "print one view and exit, as without a terminal");
  add_color(command, *shared);
  return [&command, flags] { return run_top(command, *flags); };
}

}  // namespace podium::kubectl
