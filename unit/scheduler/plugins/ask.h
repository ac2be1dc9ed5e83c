// Runs one plugin on one pod and returns plain maps by node name, so that a test case is one comparison.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <map>
#include <string>
#include <vector>

#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/plugin.h"
#include "scheduler/plugins/shared/factories.h"
#include "unit/scheduler/plugins/plugin_seed.h"
#include "unit/support/builders.h"

namespace podium::plugins::test {

using cluster::Snapshot;
using podium::test::node;
using podium::test::pod;

using Nodes = std::vector<api::Node>;
using Pods = std::vector<api::Pod>;
using Answers = std::map<std::string, std::string>;
using Scores = std::map<std::string, std::int64_t>;

inline Snapshot snapshot_of(const Nodes& nodes, const Pods& placed = {},
                            const cluster::RequestRules& rules = {}) {
  Snapshot snapshot;
  for (const auto& node : nodes) snapshot.set_node(std::make_shared<const api::Node>(node));
  for (const auto& pod : placed) {
    snapshot.add_pod(cluster::make_pod_info(std::make_shared<const api::Pod>(pod), rules));
  }
  return snapshot;
}

inline cluster::PodInfoPtr info(const api::Pod& pod, const cluster::RequestRules& rules = {}) {
  return cluster::make_pod_info(std::make_shared<const api::Pod>(pod), rules);
}

inline PluginPtr make(PluginPtr (*factory)(const boost::json::object&), std::string_view args = "{}") {
  return factory(boost::json::parse(args).as_object());
}

inline PluginPtr make(PluginPtr (*factory)(const boost::json::object&, const framework::Features&),
                      std::string_view args = "{}", const framework::Features& features = {}) {
  return factory(boost::json::parse(args).as_object(), features);
}

// "U", "UU" or "E" for an error, and the reasons.
inline std::string text_of(const framework::Verdict& verdict) {
  using enum framework::Code;
  std::string text = verdict.code == unschedulable ? "U" : verdict.code == error ? "E" : "UU";
  for (const auto& reason : verdict.reasons) {
    text += "; " + reason.text;
    EXPECT_TRUE(verdict.code == error || reason.code != framework::ReasonCode::other)
        << verdict.plugin << ": " << reason.text << ": has no code";
    const auto& row = framework::row_of(reason.code);
    EXPECT_TRUE(row.code == framework::ReasonCode::other ||
                std::ranges::count(framework::plugins_of(row), verdict.plugin) == 1)
        << "the row of " << row.name << " lacks the plugin " << verdict.plugin;
  }
  return text;
}

// The rejected nodes with code and reasons. "*" is the verdict on the whole pod. Nodes that PreFilter
// excludes are marked.
inline Answers filter(const PluginPtr& plugin, const api::Pod& pod, const Snapshot& snapshot,
                      const cluster::RequestRules& rules = {}) {
  const auto& filter_plugin = dynamic_cast<const framework::FilterPlugin&>(*plugin);
  const auto incoming = info(pod, rules);
  const auto prepared = filter_plugin.prepare_filter(*incoming, snapshot);
  Answers answers;
  if (prepared.rejected) return {{"*", text_of(*prepared.rejected)}};
  auto nodes = snapshot.present();
  framework::Rejections out(snapshot.chunks());
  if (prepared.only) {
    snapshot.present().each([&](cluster::Row row) {
      const std::string name(snapshot.node_name(row));
      if (prepared.only->contains(name)) return;
      answers[name] = "left out";
      nodes.clear(row);
    });
  }
  auto asked = nodes;
  if (prepared.filter) prepared.filter->filter(nodes, out);
  asked.each([&](cluster::Row row) {
    EXPECT_EQ(nodes.test(row), out.id(row) == framework::kFits);
    if (!nodes.test(row)) answers[std::string(snapshot.node_name(row))] = text_of(out.verdict(out.id(row)));
    if (prepared.filter) {
      const auto alone = prepared.filter->check(row, {});
      EXPECT_EQ(alone ? text_of(*alone) : "", nodes.test(row) ? "" : text_of(out.verdict(out.id(row))));
    }
  });
  return answers;
}

// The scores of all nodes; empty if the plugin is skipped.
inline Scores score(const PluginPtr& plugin, const api::Pod& pod, const Snapshot& snapshot,
                    const std::vector<std::string>& infeasible = {},
                    const cluster::RequestRules& rules = {}) {
  const auto& score_plugin = dynamic_cast<const framework::ScorePlugin&>(*plugin);
  const auto incoming = info(pod, rules);
  auto feasible = snapshot.present();
  for (const auto& name : infeasible) feasible.clear(*snapshot.find_row(name));
  const auto prepared = score_plugin.prepare_score(*incoming, snapshot, feasible);
  Scores scores;
  if (!prepared.scorer) return scores;
  std::vector<std::uint8_t> out(snapshot.chunks() * cluster::kChunkRows);
  prepared.scorer->score(feasible, out);
  feasible.each([&](cluster::Row row) { scores[std::string(snapshot.node_name(row))] = out[row]; });
  return scores;
}

// The error of the plugin's PreScore; empty: none.
inline std::string score_error(const PluginPtr& plugin, const api::Pod& pod, const Snapshot& snapshot) {
  const auto& score_plugin = dynamic_cast<const framework::ScorePlugin&>(*plugin);
  return score_plugin.prepare_score(*info(pod), snapshot, snapshot.present()).error;
}

// True if a hint of the plugin returns true for the pod and the event. False if no hint is registered
// for the event.
inline bool helps(const PluginPtr& plugin, const api::Pod& rejected, const framework::ClusterEvent& event,
                  const cluster::RequestRules& rules = {}, const Snapshot& snapshot = {}) {
  for (const auto& hint : dynamic_cast<const framework::FilterPlugin&>(*plugin).hints()) {
    if (hint.resource != event.resource || !(hint.actions & event.actions)) continue;
    if (hint.helps(*info(rejected, rules), event, snapshot)) return true;
  }
  return false;
}

inline api::Object object(const api::Node& node) { return std::make_shared<const api::Node>(node); }
inline api::Object object(const api::Pod& pod) { return std::make_shared<const api::Pod>(pod); }

inline framework::ClusterEvent node_added(const api::Node& after) {
  return {framework::EventResource::node, framework::kAdd, {}, object(after)};
}
inline framework::ClusterEvent node_updated(const api::Node& before, const api::Node& after) {
  return {framework::EventResource::node, framework::node_changes(before, after), object(before),
          object(after)};
}
inline framework::ClusterEvent pod_deleted(const api::Pod& before) {
  return {framework::EventResource::assigned_pod, framework::kDelete, object(before), {}};
}
inline framework::ClusterEvent pod_updated(framework::EventResource resource, const api::Pod& before,
                                           const api::Pod& after) {
  return {resource, framework::pod_changes(before, after), object(before), object(after)};
}

}  // namespace podium::plugins::test
