#include "e2e/tables/recorded_answer.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <map>
#include <string>

#include "e2e/tables/gates.h"
#include "e2e/tables/hint.h"
#include "e2e/tables/recorded_cluster.h"
#include "scheduler/framework/filters.h"
#include "scheduler/plugins/registry.h"

namespace podium::tables {
namespace {

using boost::json::object;
using boost::json::value;
using namespace framework;

// A plugin and each of its extension points.
struct Asked {
  std::shared_ptr<const Plugin> plugin;
  const FilterPlugin* filter = nullptr;
  const ScorePlugin* score = nullptr;
  const PreEnqueuePlugin* pre_enqueue = nullptr;
};

bool flag(const object& of, std::string_view name) {
  const auto* field = of.if_contains(name);
  return field && field->is_bool() && field->get_bool();
}

Result<Asked> make_plugin(const object& question) {
  const auto name = std::string(question.at("plugin").as_string());
  const auto* entry = plugins::find_in_tree(name);
  if (!entry || !entry->make) return invalid("no plugin " + name);
  const auto* args = question.if_contains("args");
  Asked asked{entry->make(args && args->is_object() ? args->get_object() : object(), features_of(question))};
  if (!asked.plugin) return invalid(name + " does not take these arguments");
  asked.filter = dynamic_cast<const FilterPlugin*>(asked.plugin.get());
  asked.score = dynamic_cast<const ScorePlugin*>(asked.plugin.get());
  asked.pre_enqueue = dynamic_cast<const PreEnqueuePlugin*>(asked.plugin.get());
  return asked;
}

object success() { return {{"code", kSuccess}, {"reasons", boost::json::array()}}; }
object error(std::string text) { return {{"code", "Error"}, {"reasons", boost::json::array{value(text)}}}; }

object to_json(const std::optional<Verdict>& verdict) {
  if (!verdict) return success();
  boost::json::array reasons;
  for (const auto& reason : verdict->reasons) reasons.emplace_back(reason.text);
  return {{"code", to_string(verdict->code)}, {"reasons", std::move(reasons)}};
}

// The verdicts of a prepared filter on every node.
std::map<Row, std::optional<Verdict>> filter_all(const PreparedFilter& prepared, const Snapshot& snapshot) {
  std::map<Row, std::optional<Verdict>> verdicts;
  NodeMask nodes = snapshot.present();
  nodes.grow_to_chunks(snapshot.chunks());
  Rejections out(snapshot.chunks());
  if (prepared.filter) prepared.filter->filter(nodes, out);
  snapshot.present().each([&](Row row) {
    const auto id = out.id(row);
    verdicts[row] = id == kFits ? std::nullopt : std::optional(out.verdict(id));
  });
  return verdicts;
}

bool alike(const std::optional<Verdict>& a, const std::optional<Verdict>& b) {
  return a.has_value() == b.has_value() && (!a || (a->code == b->code && a->reasons == b->reasons));
}

// check() must give a node the same verdict as filter().
Result<void> check_alone(const PreparedFilter& prepared, const Snapshot& snapshot, Row row,
                         const std::optional<Verdict>& expected) {
  if (!prepared.filter || alike(prepared.filter->check(row, {}), expected)) return {};
  return invalid("filter() and check() differ about node " + std::string(snapshot.node_name(row)));
}

Result<object> all_nodes(const PreparedFilter& prepared, const Snapshot& snapshot) {
  object nodes;
  for (const auto& [row, verdict] : filter_all(prepared, snapshot)) {
    if (auto same = check_alone(prepared, snapshot, row, verdict); !same)
      return std::unexpected(same.error());
    nodes[snapshot.node_name(row)] = to_json(verdict);
  }
  return nodes;
}

Result<object> pre_filter(const Asked& asked, const PodInfo& pod, const Cluster& cluster) {
  const auto prepared = asked.filter->prepare_filter(pod, cluster.snapshot());
  auto answer = to_json(prepared.rejected);
  if (prepared.rejected) return answer;
  if (prepared.only) {
    answer["only"] = boost::json::array(prepared.only->begin(), prepared.only->end());
  } else if (!prepared.filter) {
    answer["code"] = "Skip";
  }
  auto nodes = all_nodes(prepared, cluster.snapshot());
  if (!nodes) return std::unexpected(nodes.error());
  answer["nodes"] = std::move(*nodes);
  return answer;
}

// AddPod and RemovePod: the cluster with the changes; and, where they are all of one node, that node as
// preemption and nominated pods ask about it.
Result<object> changed(const Asked& asked, const PodInfo& pod, Cluster cluster, const object& question) {
  const auto changes = cluster.read_changes(question);
  if (!changes) return std::unexpected(changes.error());
  const auto before = cluster.snapshot();
  std::vector<PodInfoPtr> added, removed;
  for (const auto& change : *changes) {
    cluster.apply(change);
    auto& list = change.added ? added : removed;
    auto& other = change.added ? removed : added;
    const auto same = [&](const PodInfoPtr& each) { return (*each)->meta.uid == (*change.pod)->meta.uid; };
    if (std::erase_if(other, same) == 0) list.push_back(change.pod);
  }
  const auto after = asked.filter->prepare_filter(pod, cluster.snapshot());
  auto nodes = all_nodes(after, cluster.snapshot());
  if (!nodes) return std::unexpected(nodes.error());
  const auto& on = changes->back().node;
  const auto row = before.find_row(on);
  const bool one = std::ranges::all_of(*changes, [&](const Change& change) { return change.node == on; });
  if (const auto prepared = asked.filter->prepare_filter(pod, before); row && one && prepared.filter) {
    for (auto& each : removed) {
      if (const auto* known = before.find_pod((*each)->meta.uid)) each = *known;
    }
    if ((*nodes)[on] != value(to_json(prepared.filter->check(*row, {added, removed})))) {
      return invalid("check() with the changes differs from filter() after them");
    }
  }
  auto answer = success();
  answer["nodes"] = std::move(*nodes);
  return answer;
}

// A profile with only this plugin.
Profile profile_of(const Asked& asked, bool with_pre_filter) {
  Profile profile;
  profile.filters.push_back({std::string(asked.plugin->name()), asked.filter, with_pre_filter, true});
  if (with_pre_filter) profile.pre_filters = profile.filters;
  return profile;
}

Result<object> filter(const Asked& asked, const PodInfo& pod, Cluster cluster, const object& question) {
  const auto changes = cluster.read_changes(question);
  if (!changes) return std::unexpected(changes.error());
  for (const auto& change : *changes) cluster.apply(change);
  // The counts are those of PreFilter; AddPod and RemovePod give the changes.
  auto counted = cluster;
  const auto node = cluster.put(question.at("on").as_object());
  if (!node) return std::unexpected(node.error());
  if (!changes->empty() && counted.snapshot().find_row(*node)) cluster = std::move(counted);
  const auto& snapshot = cluster.snapshot();
  const auto row = *snapshot.find_row(*node);

  const auto profile = profile_of(asked, asked.filter->has_pre_filter() && flag(question, "preFilter"));
  const Filters filters(pod, snapshot, profile);
  const auto verdict = filters.check(row, {});
  if (!filters.rejected() && (!filters.only() || filters.only()->test(row))) {
    Rejections out(snapshot.chunks());
    filters.run(out);
    const auto id = out.id(row);
    if (!alike(verdict, id == kFits ? std::nullopt : std::optional(out.verdict(id)))) {
      return invalid("run() and check() differ");
    }
  }
  return to_json(verdict);
}

Result<object> scores(const Asked& asked, const PodInfo& pod, const Snapshot& snapshot,
                      const object& question, bool prepared_before) {
  NodeMask feasible(snapshot.chunks());
  for (const auto& name : question.at("nodes").as_array()) {
    const auto row = snapshot.find_row(name.as_string());
    if (!row) return invalid("no node " + std::string(name.as_string()));
    feasible.set(*row);
  }
  if (feasible.none()) return object{{"code", "Skip"}, {"reasons", boost::json::array()}};
  const bool unprepared = asked.score->has_pre_score() && !prepared_before;
  if (unprepared) {
    if (auto text = asked.score->error_without_pre_score(); !text.empty()) return error(std::move(text));
  }
  const auto prepared = asked.score->prepare_score(pod, snapshot, feasible);
  if (!prepared.scorer && !unprepared) return object{{"code", "Skip"}, {"reasons", boost::json::array()}};
  std::vector<std::uint8_t> out(snapshot.chunks() * cluster::kChunkRows, 0);
  if (prepared.scorer) {
    prepared.scorer->score(feasible, out);
  } else {
    std::ranges::fill(out, asked.score->score_if_skipped());
  }
  auto answer = success();
  object of_node;
  feasible.each([&](Row row) { of_node[snapshot.node_name(row)] = out[row]; });
  answer["scores"] = std::move(of_node);
  return answer;
}

// One node's score, for plugins that do not normalise.
Result<object> score(const Asked& asked, const PodInfo& pod, Cluster cluster, const object& question) {
  const auto node = cluster.put(question.at("on").as_object());
  if (!node) return std::unexpected(node.error());
  auto one = question;
  boost::json::array names;
  cluster.snapshot().present().each([&](Row row) { names.emplace_back(cluster.snapshot().node_name(row)); });
  one["nodes"] = std::move(names);
  auto answer = scores(asked, pod, cluster.snapshot(), one, flag(question, "preScore"));
  if (!answer || !answer->contains("scores")) return answer;
  (*answer)["score"] = (*answer)["scores"].at(*node);
  answer->erase("scores");
  return answer;
}

}  // namespace

Result<object> answer(const object& question) {
  const auto asked = make_plugin(question);
  if (!asked) return std::unexpected(asked.error());
  const auto& call = question.at("call").as_string();
  if (call == "Hint" || call == "Events") {
    if (!asked->filter) return invalid("it has no hints");
    return call == "Hint" ? answer_hint(*asked->filter, question) : answer_events(*asked->filter);
  }

  const auto pod = read_asked(question);
  if (!pod) return std::unexpected(pod.error());
  if (call == "Request") {
    return object{{"request", (*pod)->score_requests.get(question.at("resource").as_string())}};
  }
  auto cluster = Cluster::read(question);
  if (!cluster) return std::unexpected(cluster.error());
  if (call == "PreEnqueue") return to_json(asked->pre_enqueue->pre_enqueue(**pod, cluster->snapshot()));
  if (call == "PreFilter") return pre_filter(*asked, **pod, *cluster);
  if (call == "Changed") return changed(*asked, **pod, *cluster, question);
  if (call == "Filter") return filter(*asked, **pod, *cluster, question);
  if (call == "PreScore") return scores(*asked, **pod, cluster->snapshot(), question, true);
  if (call == "NormalizeScore") {
    return scores(*asked, **pod, cluster->snapshot(), question, flag(question, "preScore"));
  }
  if (call == "Score") return score(*asked, **pod, *cluster, question);
  return invalid("no such call: " + std::string(call));
}

}  // namespace podium::tables
