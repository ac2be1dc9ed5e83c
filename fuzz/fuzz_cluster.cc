#include "fuzz/fuzz_cluster.h"

#include "api/admission/admission.h"
#include "api/decode/manifests.h"
#include "fuzz/driver/files.h"
#include "fuzz/driver/require.h"

namespace podium::fuzz {
namespace {

cluster::Snapshot read_cluster() {
  const auto files = read_corpus("fuzz/cluster.yaml");
  require(files.has_value(), "fuzz/cluster.yaml can be read");
  std::vector<std::string> warnings;
  auto read = api::read_manifests({{files->at(0).path, files->at(0).text}}, {}, warnings);
  require(read.has_value(), "fuzz/cluster.yaml has manifests", read ? "" : read.error().message);
  api::Manifests::List<api::Pod> none;
  const auto admitted = api::admit(*read, none);
  require(admitted.has_value(), "the objects are valid", admitted ? "" : admitted.error().message);

  cluster::Snapshot snapshot;
  for (const auto& node : read->nodes) snapshot.set_node(node);
  for (const auto& pod : read->pods) {
    if (pod->node_name.empty())
      snapshot.nominate(cluster::make_pod_info(pod), pod->nominated_node);
    else
      snapshot.add_pod(cluster::make_pod_info(pod));
  }
  auto& objects = snapshot.objects();
  const auto set_all = [&objects](const auto& list) {
    for (const auto& object : list) objects.set(object);
  };
  set_all(read->namespaces);
  set_all(read->priority_classes);
  set_all(read->disruption_budgets);
  set_all(read->persistent_volumes);
  set_all(read->persistent_volume_claims);
  set_all(read->storage_classes);
  set_all(read->csi_nodes);
  set_all(read->csi_drivers);
  for (const auto& workload : read->workloads) objects.set_workload(workload);
  snapshot.saw_pods(1234);
  return snapshot;
}

}  // namespace

const cluster::Snapshot& small_cluster() {
  static const auto made = read_cluster();
  return made;
}

}  // namespace podium::fuzz
