#include "app/offline/offline_cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "api/admission/admission.h"
#include "api/decode/dump_kinds.h"
#include "base/clock.h"
#include "explain/workload/new_claims.h"

namespace podium::offline {
namespace {

// Adds nodes by name and pods in the order of the input: upstream's results depend on that order.
cluster::Snapshot to_snapshot(api::Manifests manifests, const cluster::RequestRules& rules) {
  cluster::Snapshot snapshot;
  snapshot.set_moment({.time = system_clock().wall()});
  std::ranges::sort(manifests.nodes, {}, [](const api::NodePtr& node) { return node->meta.name; });
  for (auto& node : manifests.nodes) snapshot.set_node(std::move(node));
  for (auto& pod : manifests.pods) {
    if (!pod->node_name.empty())
      snapshot.add_pod(cluster::make_pod_info(pod, rules));
    else if (!pod->nominated_node.empty())
      snapshot.nominate(cluster::make_pod_info(pod, rules), pod->nominated_node);
  }
  auto& objects = snapshot.objects();
  const auto set_all = [&](const auto& list) {
    for (const auto& object : list) objects.set(object);
  };
  set_all(manifests.namespaces);
  set_all(manifests.priority_classes);
  set_all(manifests.disruption_budgets);
  set_all(manifests.persistent_volumes);
  set_all(manifests.persistent_volume_claims);
  set_all(manifests.storage_classes);
  set_all(manifests.csi_nodes);
  set_all(manifests.csi_drivers);
  set_all(manifests.csi_storage_capacities);
  set_all(manifests.volume_attachments);
  set_all(manifests.resource_slices);
  set_all(manifests.device_classes);
  set_all(manifests.device_taint_rules);
  set_all(manifests.resource_claims);
  for (const auto& workload : manifests.workloads) objects.set_workload(workload);
  return snapshot;
}

using Keys = std::set<std::pair<std::string, std::string>>;

// Those that no API server has stored yet: an object of a cluster has a time of creation and a phase.
template <typename T>
Keys new_objects(const api::Manifests::List<T>& objects) {
  Keys out;
  for (const auto& object : objects) {
    if (!object->meta.created && object->phase.empty())
      out.emplace(object->meta.namespace_, object->meta.name);
  }
  return out;
}

// No controller has seen these claims and volumes yet. Does what the volume controllers would do.
void settle(const Keys& volumes, const Keys& claims, cluster::Snapshot& snapshot) {
  auto& objects = snapshot.objects();
  for (const auto& [ns, name] : volumes) {
    const auto found = objects.shared<api::PersistentVolume>(ns, name);
    if (!found || found->phase != "Pending") continue;
    auto volume = std::make_shared<api::PersistentVolume>(*found);
    explain::make_available(*volume);
    objects.set<api::PersistentVolume>(std::move(volume));
  }
  for (const auto& [ns, name] : claims) {
    if (const auto claim = objects.shared<api::PersistentVolumeClaim>(ns, name))
      explain::add_claim(std::make_shared<api::PersistentVolumeClaim>(*claim), snapshot);
  }
}

}  // namespace

Result<config::Config> read_config(const std::string& file, const config::LoadOptions& options,
                                   std::vector<std::string>& warnings) {
  auto config = file.empty() ? config::load("", "", options) : config::load_file(file, options);
  if (!config) return config;
  warnings = config->warnings;
  for (const auto& extender : config->extenders)
    warnings.push_back(fmt::format("extender {} is not called offline", extender.url_prefix));
  return config;
}

Result<cluster::Snapshot> build_cluster(api::Manifests& manifests, api::Manifests::List<api::Pod>& asked,
                                        const config::Config& config, const ClusterOptions& options) {
  if (manifests.nodes.empty() && !options.as_given)
    return invalid(fmt::format("--cluster has no nodes; make it with: {}", api::dump_command()));
  const auto volumes = new_objects(manifests.persistent_volumes);
  const auto claims = new_objects(manifests.persistent_volume_claims);
  if (auto admitted = api::admit(manifests, asked, options.places); !admitted)
    return std::unexpected(admitted.error());
  auto snapshot = to_snapshot(manifests, framework::request_rules(config.features));
  if (!options.as_given) settle(volumes, claims, snapshot);
  return snapshot;
}

}  // namespace podium::offline
