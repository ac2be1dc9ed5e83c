#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "client/api.h"
#include "client/auth/url.h"

namespace podium::client {

namespace {

// The API server decodes a path before it cuts it into segments, so that encoding does not help.
// Source: apimachinery, path.IsValidPathSegmentName.
bool is_segment(std::string_view text) {
  return !text.empty() && text != "." && text != ".." && std::ranges::none_of(text, [](unsigned char c) {
    return c == '/' || c == '%' || c < ' ' || c == 127;
  });
}

// Empties the path if one of the segments is not valid.
void add_segments(std::string& path, std::initializer_list<std::string_view> segments) {
  for (const auto segment : segments) {
    if (path.empty() || !is_segment(segment)) return path.clear();
    path += '/';
    path += percent_encode(segment);
  }
}

}  // namespace

std::string Resource::path(const std::string& ns) const {
  std::string out;
  out.reserve(128);  // with a name and a query
  if (group.empty()) {
    out = "/api";
    add_segments(out, {version});
  } else {
    out = "/apis";
    add_segments(out, {group, version});
  }
  if (namespaced && !ns.empty()) add_segments(out, {"namespaces", ns});
  add_segments(out, {plural});
  return out;
}

std::string Resource::path(const std::string& ns, const std::string& name,
                           const std::string& subresource) const {
  auto out = path(ns);
  add_segments(out, {name});
  if (!subresource.empty()) add_segments(out, {subresource});
  return out;
}

namespace resource {

const Resource pods{"", "v1", "pods", true};
const Resource nodes{"", "v1", "nodes", false};
const Resource namespaces{"", "v1", "namespaces", false};
const Resource services{"", "v1", "services", true};
const Resource replication_controllers{"", "v1", "replicationcontrollers", true};
const Resource replica_sets{"apps", "v1", "replicasets", true};
const Resource stateful_sets{"apps", "v1", "statefulsets", true};
const Resource persistent_volumes{"", "v1", "persistentvolumes", false};
const Resource persistent_volume_claims{"", "v1", "persistentvolumeclaims", true};
const Resource storage_classes{"storage.k8s.io", "v1", "storageclasses", false};
const Resource csi_nodes{"storage.k8s.io", "v1", "csinodes", false};
const Resource csi_drivers{"storage.k8s.io", "v1", "csidrivers", false};
const Resource csi_storage_capacities{"storage.k8s.io", "v1", "csistoragecapacities", true};
const Resource volume_attachments{"storage.k8s.io", "v1", "volumeattachments", false};
const Resource resource_claims{"resource.k8s.io", "v1", "resourceclaims", true};
const Resource resource_slices{"resource.k8s.io", "v1", "resourceslices", false};
const Resource device_classes{"resource.k8s.io", "v1", "deviceclasses", false};
const Resource device_taint_rules{"resource.k8s.io", "v1", "devicetaintrules", false};
const Resource pod_disruption_budgets{"policy", "v1", "poddisruptionbudgets", true};
const Resource priority_classes{"scheduling.k8s.io", "v1", "priorityclasses", false};
const Resource limit_ranges{"", "v1", "limitranges", true};
const Resource runtime_classes{"node.k8s.io", "v1", "runtimeclasses", false};
const Resource resource_claim_templates{"resource.k8s.io", "v1", "resourceclaimtemplates", true};
const Resource leases{"coordination.k8s.io", "v1", "leases", true};
const Resource events{"events.k8s.io", "v1", "events", true};
const Resource scheduling_reports{"podium.dev", "v1alpha1", "schedulingreports", true};
const Resource custom_resource_definitions{"apiextensions.k8s.io", "v1", "customresourcedefinitions", false};

}  // namespace resource
}  // namespace podium::client
