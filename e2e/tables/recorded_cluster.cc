#include "e2e/tables/recorded_cluster.h"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <type_traits>
#include <variant>

#include "api/decode/decode.h"
#include "api/values/device.h"
#include "base/clock.h"
#include "e2e/tables/gates.h"

namespace podium::tables {
namespace {

using boost::json::object;

constexpr std::string_view kUnnamed = "node without a name";

object& part(object& of, std::string_view name) {
  auto& field = of[name];
  if (!field.is_object()) field = object();
  return field.get_object();
}

std::string text(const object& of, std::string_view name) {
  const auto* field = of.if_contains(name);
  return field && field->is_string() ? std::string(field->get_string()) : std::string();
}

const boost::json::array& list(const object& of, std::string_view name) {
  static const boost::json::array none;
  const auto* field = of.if_contains(name);
  return field && field->is_array() ? field->get_array() : none;
}

// The same pod has the same UID in every question; pods without a name all differ.
std::string uid_of(const object& meta, int& unnamed) {
  if (auto uid = text(meta, "uid"); !uid.empty()) return uid;
  const auto name = text(meta, "name");
  return name.empty() ? "unnamed-" + std::to_string(++unnamed)
                      : "uid of " + text(meta, "namespace") + "/" + name;
}

void set_object(cluster::Snapshot& snapshot, const api::Object& decoded) {
  std::visit(
      [&]<typename T>(const T& object) {
        if constexpr (std::is_same_v<T, std::shared_ptr<const api::Workload>>) {
          snapshot.objects().set_workload(object);
        } else if constexpr (requires { snapshot.objects().set(object); }) {
          if constexpr (!std::is_same_v<T, api::PodPtr> && !std::is_same_v<T, api::NodePtr>)
            snapshot.objects().set(object);
        }
      },
      decoded);
}

cluster::RequestRules rules_of(const object& question) {
  return framework::request_rules(features_of(question));
}

}  // namespace

Result<Cluster> Cluster::read(const object& question) {
  Cluster cluster;
  cluster.rules_ = rules_of(question);
  cluster.snapshot_.set_moment({.time = system_clock().wall()});
  const auto* seen = question.if_contains("cluster");
  if (!seen || !seen->is_object()) return cluster;
  for (const auto& each : list(seen->get_object(), "objects")) {
    const auto& named = each.as_object();
    auto decoded = api::decode_object(named.at("object"), text(named, "apiVersion"), text(named, "kind"));
    if (!decoded) return std::unexpected(decoded.error());
    set_object(cluster.snapshot_, *decoded);
  }
  for (const auto& node : list(seen->get_object(), "nodes")) {
    // Pods on an unknown node get a node without a name.
    if (node.at("node").is_null()) continue;
    if (auto put = cluster.put(node.as_object()); !put) return std::unexpected(put.error());
  }
  return cluster;
}

Result<std::string> Cluster::put(const object& info) {
  auto node = info.at("node").is_null() ? Result<api::Node>() : api::decode_node(info.at("node"));
  if (!node) return std::unexpected(node.error());
  if (node->meta.name.empty()) node->meta.name = kUnnamed;
  const auto name = node->meta.name;
  if (const auto row = snapshot_.find_row(name)) {
    const auto pods = snapshot_.entry(*row).pods;
    for (const auto& pod : pods) snapshot_.remove_pod((*pod)->meta.uid);
  }
  snapshot_.set_node(std::make_shared<const api::Node>(std::move(*node)));
  for (const auto& each : list(info, "pods")) {
    auto pod = read_pod(each.as_object(), name);
    if (!pod) return std::unexpected(pod.error());
    // A table may have two of one name; both count.
    if (snapshot_.find_pod((**pod)->meta.uid)) {
      auto other = each.as_object();
      part(other, "metadata")["uid"] = (**pod)->meta.uid + " " + std::to_string(++unnamed_);
      pod = read_pod(std::move(other), name);
      if (!pod) return std::unexpected(pod.error());
    }
    snapshot_.add_pod(*pod);
  }
  return name;
}

Result<cluster::PodInfoPtr> Cluster::read_pod(object pod, const std::string& node) {
  auto& meta = part(pod, "metadata");
  meta["uid"] = uid_of(meta, unnamed_);
  part(pod, "spec")["nodeName"] = node;
  auto decoded = api::decode_pod(pod);
  if (!decoded) return std::unexpected(decoded.error());
  return cluster::make_pod_info(std::make_shared<const api::Pod>(std::move(*decoded)), rules_);
}

Result<std::vector<Change>> Cluster::read_changes(const object& question) {
  std::vector<Change> changes;
  for (const auto& each : list(question, "changes")) {
    const auto& change = each.as_object();
    const auto node = text(change, "node");
    auto pod = read_pod(change.at("pod").as_object(), node);
    if (!pod) return std::unexpected(pod.error());
    changes.push_back({text(change, "op") == "add", node, std::move(*pod)});
  }
  return changes;
}

void Cluster::apply(const Change& change) {
  if (change.added) {
    snapshot_.add_pod(change.pod);
  } else {
    snapshot_.remove_pod((*change.pod)->meta.uid);
  }
}

Result<cluster::PodInfoPtr> read_asked(const object& question) {
  auto decoded = api::decode_pod(question.at("pod"));
  if (!decoded) return std::unexpected(decoded.error());
  return cluster::make_pod_info(std::make_shared<const api::Pod>(std::move(*decoded)), rules_of(question));
}

}  // namespace podium::tables
