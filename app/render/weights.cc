#include "app/render/weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "app/render/text.h"

namespace podium::render {
namespace {

constexpr std::size_t kPodsShown = 10;

std::string pods_elsewhere(const explain::WeightsCompared& found, const std::string& ns,
                           const Options& options) {
  const auto most = options.wide ? found.elsewhere.size() : std::min(kPodsShown, found.elsewhere.size());
  if (most == 0) return {};
  const auto node = [](const std::string& name) { return name.empty() ? std::string("-") : name; };
  const auto shown = std::span(found.elsewhere).first(most);
  // Only a pod without a node has a reason.
  const bool has_reasons = std::ranges::any_of(shown, [](const auto& pod) { return !pod.reason.empty(); });
  std::vector<Cells> rows{{"POD", "NODE", "THEN"}};
  if (has_reasons) rows.front().emplace_back("BECAUSE");
  for (const auto& pod : shown) {
    rows.push_back({fmt::format("{}/{}", pod.ns.empty() ? ns : pod.ns, pod.name), node(pod.node_before),
                    node(pod.node)});
    if (has_reasons) rows.back().push_back(pod.reason);
  }
  auto out = table(rows, {Align::left}, 2, {options.columns, {{3, 16}, {0, 16}}});
  if (found.elsewhere_total > most)
    out += fmt::format("  and {}\n", counted(found.elsewhere_total - most, "more pod"));
  return out;
}

}  // namespace

std::string weights_compared(const Report& report, const explain::WeightsCompared& found,
                             const Options& options) {
  const auto& [pods, staying, moved, lost, gained, nodes_before, nodes, elsewhere, total] = found;
  if (pods == 0 && staying == 0) return "There is no pod to place.\n";
  auto out = fmt::format("{} again with the current weights and with these, on empty nodes",
                         counted(pods, "pod is placed", "pods are placed"));
  if (staying > 0)
    out += fmt::format("; {} (of DaemonSets, static, terminating, or of other schedulers)",
                       counted(staying, "pod stays", "pods stay"));
  out += ".\n";
  if (moved + lost + gained == 0) return out + "No pod would be elsewhere, lose its place or gain one.\n";
  out += fmt::format("{} on another node, {} a place, {} one.\n",
                     counted(moved, "pod would be", "pods would be"),
                     options.style.bad(counted(lost, "pod would lose", "pods would lose")),
                     options.style.good(counted(gained, "pod would gain", "pods would gain")));
  out += fmt::format("Nodes in use: {}, and {} with the current weights.\n", nodes, nodes_before);
  out += pods_elsewhere(found, report.ns, options);
  if (const auto all = moved + lost + gained; all > total)
    out += fmt::format("{} of other namespaces {} not named.\n", counted(all - total, "pod"),
                       all - total == 1 ? "is" : "are");
  return out + "Running pods stay on their nodes when the weights change; new ones follow them.\n";
}

}  // namespace podium::render
