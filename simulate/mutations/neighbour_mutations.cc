// The planted bugs of constraints between pods, and of changes of running pods.
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "simulate/mutations/bug_tools.h"
#include "simulate/mutations/mutations.h"
#include "simulate/server/cpu_requests.h"

namespace podium::simulate {
namespace {

using client::Request;

bool of_pods(const Request& request) { return names(request, "/api/v1/pods"); }
bool is_on_a_node(const std::string& line) { return line.find(R"("nodeName":")") != line.npos; }

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

// Applies to pods on a node, or to all.
Bug reads_pods_with(std::string from, std::string to, bool only_placed) {
  Bug bug;
  bug.reads = [=](const Request& request, std::string line) {
    const bool concerns = of_pods(request) && (!only_placed || is_on_a_node(line));
    return concerns ? replaced(std::move(line), from, to) : line;
  };
  return bug;
}

// Each pod on a node keeps what it had when the engine first read it there.
Bug keeps_the_first(std::string field) {
  const auto first = std::make_shared<std::map<std::string, json::value>>();  // by UID
  Bug bug;
  bug.reads = [=](const Request& request, std::string line) {
    if (!of_pods(request) || !is_on_a_node(line)) return line;
    auto event = json::parse(line);
    const auto [it, added] =
        first->try_emplace(text_at(event, "/object/metadata/uid"), *find_at(event, "/object" + field));
    if (added) return line;
    boost::system::error_code none;
    *event.find_pointer("/object" + field, none) = it->second;
    return json::serialize(event) + "\n";
  };
  return bug;
}

bool of_budgets(const Request& request) { return names(request, "/poddisruptionbudgets"); }

Bug loses_changes_of_budgets() {
  Bug bug;
  bug.reads = [](const Request& request, std::string line) {
    return of_budgets(request) && is_line_of(line, "MODIFIED") ? std::string() : line;
  };
  return bug;
}

}  // namespace

std::vector<Mutation> neighbour_mutations() {
  return {
      {.name = "relabels_not_seen",
       .bug = "counts a pod on a node by the labels that it had at first",
       .seed = kFirstWithNeighbours + 1,
       .found_as = "has counted",
       .make = [] { return keeps_the_first("/metadata/labels"); }},
      {.name = "resizes_not_seen",
       .bug = "counts a pod on a node by the requests that it had at first",
       .seed = kFirstWithNeighbours + 1,
       .found_as = "put more on",
       .make = [] { return keeps_the_first("/spec/containers"); }},
      {.name = "granted_not_counted",
       .bug = "counts what a pod asks for, though its kubelet has granted more",
       .seed = kFirstWithNeighbours + 1,
       .found_as = "put more on",
       .make = [] { return reads_pods_with("\"containerStatuses\"", "\"otherStatuses\"", false); }},
      {.name = "refused_is_counted",
       .bug = "counts a resize that the kubelet refuses",
       .seed = kFirstWithNeighbours + 1,
       .found_as = "has counted",
       .make = [] { return reads_pods_with("\"Infeasible\"", "\"Deferred\"", false); }},
      {.name = "anti_affinity_of_placed",
       .bug = "ignores the anti-affinity of pods on nodes",
       .seed = kFirstWithNeighbours + 1,
       .found_as = "against its anti-affinity",
       .make = [] { return reads_pods_with("\"podAntiAffinity\"", "\"other\"", true); }},
      {.name = "no_anti_affinity",
       .bug = "ignores anti-affinity",
       .seed = kFirstWithNeighbours + 1,
       .found_as = "anti-affinity",
       .make = [] { return reads_pods_with("\"podAntiAffinity\"", "\"other\"", false); }},
      {.name = "no_affinity",
       .bug = "ignores required affinity",
       .seed = kFirstWithNeighbours + 1,
       .found_as = "breaks affinity",
       .make = [] { return reads_pods_with("\"podAffinity\"", "\"other\"", false); }},
      {.name = "no_spread",
       .bug = "ignores topology spread constraints",
       .seed = kFirstWithNeighbours + 1,
       .found_as = "breaks spread",
       .make = [] { return reads_pods_with("\"DoNotSchedule\"", "\"ScheduleAnyway\"", false); }},
      {.name = "budget_kept",
       .bug = "does not see that a budget changes",
       .seed = kFirstWithNeighbours + 1,
       .found_as = "holds a budget",
       .make = loses_changes_of_budgets},
  };
}

}  // namespace podium::simulate
