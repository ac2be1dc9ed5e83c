// `podium top`: the pods that wait and the last decisions; refreshed on a terminal, else printed once.
#include "app/render/top.h"
#include "api/json_view.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <memory>

#include "app/kubectl/live_cluster.h"
#include "app/kubectl/manifest.h"
#include "app/kubectl/verbs.h"
#include "app/kubectl/waiting.h"
#include "app/render/terminal.h"
#include "base/time.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;

constexpr std::size_t kDecisions = 20;

struct TopFlags {
  std::shared_ptr<Shared> shared;
  int every = 5;
  bool once = false;
};

// The last decisions. Lists names only; reads those reports that are new.
class LastDecisions {
 public:
  LastDecisions(LiveCluster& cluster, std::string ns) : cluster_(cluster), ns_(std::move(ns)) {}

  Result<std::vector<render::Report>> read() {
    client::ListOptions names;
    names.label_selector = "podium.dev/report=decision";
    names.metadata_only = true;
    auto listed = cluster_.list(client::resource::scheduling_reports, ns_, names);
    if (!listed) return std::unexpected(std::move(listed.error()));
    // Each write updates the label, which has the minute.
    const auto written = [](const json::value& object) {
      return std::pair(api::text_at(object, "/metadata/labels/podium.dev~1expires"),
                       api::text_at(object, "/metadata/creationTimestamp"));
    };
    const auto most = static_cast<std::ptrdiff_t>(std::min(listed->size(), kDecisions));
    std::ranges::partial_sort(*listed, listed->begin() + most, std::greater(), written);
    std::map<std::string, render::Report> seen;
    std::vector<render::Report> out;
    for (auto object = listed->begin(); object != listed->begin() + most; ++object) {
      const auto version =
          api::text_at(*object, "/metadata/uid") + api::text_at(*object, "/metadata/resourceVersion");
      if (const auto known = seen_.find(version); known != seen_.end()) {
        out.push_back(known->second);
      } else {
        auto report =
            cluster_.get(client::resource::scheduling_reports, api::text_at(*object, "/metadata/namespace"),
                         api::text_at(*object, "/metadata/name"));
        if (!report) continue;  // deleted in the meantime
        out.push_back(render::read_report(*report));
      }
      seen.insert_or_assign(version, out.back());
    }
    seen_ = std::move(seen);
    std::erase_if(out, [](const auto& report) { return report.status.outcome.empty(); });
    return out;
  }

 private:
  LiveCluster& cluster_;
  const std::string ns_;
  std::map<std::string, render::Report> seen_;  // by UID and resourceVersion
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
      decisions = std::move(*read);
    }
    const auto program = waiting->installed ? program_of(command_) : std::string();
    return render::top(waiting->groups, std::move(decisions), screen,
                       render_options(flags_.shared->output, program));
  }

  const CLI::App& command_;
  const TopFlags& flags_;
  LiveCluster& cluster_;
  const std::string ns_;
  LastDecisions decisions_;
};

int run_top(const CLI::App& command, const TopFlags& flags) {
  auto cluster = LiveCluster::connect(flags.shared->connection);
  if (!cluster) return fail_with(command, cluster.error());
  Top top(command, flags, **cluster);
  return flags.once || !render::is_terminal() ? top.once() : top.live();
}

}  // namespace

std::function<int()> declare_top(CLI::App& command, const std::shared_ptr<Shared>& shared) {
  const auto flags = std::make_shared<TopFlags>();
  flags->shared = shared;
  command.add_option("--every", flags->every, "seconds between two views")
      ->type_name("SECONDS")
      ->check(CLI::Range(1, 3600))
      ->capture_default_str();
  command.add_flag("--once", flags->once, "one view only, as without a terminal");
  add_color(command, shared->output);
  return [&command, flags] { return run_top(command, *flags); };
}

}  // namespace podium::kubectl
