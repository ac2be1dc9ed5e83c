#include "app/evaluate/asked.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "api/yaml.h"

namespace podium::evaluate {
namespace {

namespace json = boost::json;
using api::Manifests;

constexpr std::int64_t kMaxPods = 10'000;
constexpr std::string_view kHash = "pod-template-hash", kNewHash = "new";

struct Maker {
  std::string_view kind, api_version, pod_template;
};
constexpr Maker kMakers[] = {
    {"Deployment", "apps/v1", "/spec/template"},
    {"StatefulSet", "apps/v1", "/spec/template"},
    {"ReplicaSet", "apps/v1", "/spec/template"},
    {"DaemonSet", "apps/v1", "/spec/template"},
    {"Job", "batch/v1", "/spec/template"},
    {"CronJob", "batch/v1", "/spec/jobTemplate/spec/template"},
    {"ReplicationController", "v1", "/spec/template"},
};

// The taints that the DaemonSet controller's pods tolerate.
// Source: pkg/controller/daemon/util/daemonset_util.go AddOrUpdateDaemonPodTolerations.
constexpr std::pair<const char*, const char*> kDaemonTaints[] = {
    {"node.kubernetes.io/not-ready", "NoExecute"},      {"node.kubernetes.io/unreachable", "NoExecute"},
    {"node.kubernetes.io/disk-pressure", "NoSchedule"}, {"node.kubernetes.io/memory-pressure", "NoSchedule"},
    {"node.kubernetes.io/pid-pressure", "NoSchedule"},  {"node.kubernetes.io/unschedulable", "NoSchedule"},
};

const json::value* find_at(const json::value& value, std::string_view pointer) {
  boost::system::error_code none;
  const auto* found = value.find_pointer(pointer, none);
  return found && !found->is_null() ? found : nullptr;
}

std::string string_of(const json::value& value, std::string_view pointer) {
  const auto* found = find_at(value, pointer);
  return found && found->is_string() ? std::string(found->get_string()) : std::string();
}

std::int64_t replicas_of(const json::value& value) {
  const auto* found = find_at(value, "/spec/replicas");
  const auto* n = found ? found->if_int64() : nullptr;
  return n ? std::clamp<std::int64_t>(*n, 0, kMaxPods) : 1;
}

json::object& object_in(json::object& parent, std::string_view key) {
  auto& field = parent[key];
  if (!field.is_object()) field = json::object();
  return field.get_object();
}

class AskedReader {
 public:
  AskedReader(AskedObjects& out, bool replicas, Problems& problems)
      : out_(out), replicas_(replicas), problems_(problems) {}

  Result<void> read(const json::value& value, const std::string& where) {
    const auto kind = string_of(value, "/kind");
    if (!value.is_object()) return invalid(where + ": expected an object");
    if (kind.empty()) return invalid(where + ": missing kind");
    if (const auto* items = find_at(value, "/items"); items && items->is_array() && kind.ends_with("List")) {
      const auto of_items = kind.substr(0, kind.size() - 4);
      for (auto item : items->get_array()) {
        if (item.is_object() && !of_items.empty() && !item.get_object().contains("kind")) {
          item.get_object()["kind"] = of_items;
          item.get_object()["apiVersion"] = string_of(value, "/apiVersion");
        }
        if (auto done = read(item, where); !done) problems_.add(done.error());
      }
      return {};
    }
    const auto maker = std::ranges::find(kMakers, kind, &Maker::kind);
    if (kind == "Pod") return keep(out_.pods, value, where);
    if (kind == "SchedulingReport") return read_question(value, where);
    if (maker != std::end(kMakers)) return read_workload(*maker, value, where);
    return keep(out_.others, value, where);
  }

 private:
  Result<void> keep(std::vector<api::ManifestText>& list, const json::value& value,
                    const std::string& where) {
    list.push_back({where, json::serialize(value)});
    return {};
  }

  Result<void> read_question(const json::value& value, const std::string& where) {
    const auto name = string_of(value, "/metadata/name"), ns = string_of(value, "/metadata/namespace");
    const auto* dry_run = find_at(value, "/spec/dryRun");
    if (!dry_run || *dry_run != json::value(true)) {
      return invalid(fmt::format("{}: schedulingreport {}: is a decision; a question has spec.dryRun: true",
                                 where, name));
    }
    for (const auto* field :
         {"changes", "strategies", "workloadRef", "fixes", "nodes", "profile", "minCount", "room"}) {
      if (find_at(value, fmt::format("/spec/{}", field))) {
        out_.warnings.push_back(
            fmt::format("schedulingreport {}: spec.{} is not taken into account offline", name, field));
      }
    }
    if (const auto reference = string_of(value, "/spec/podRef/name"); !reference.empty()) {
      out_.references.push_back((ns.empty() ? "default" : ns) + "/" + reference);
      return {};
    }
    const auto* given = find_at(value, "/spec/template");
    if (!given || !given->is_object())
      return invalid(fmt::format("{}: schedulingreport {}: spec.template: missing", where, name));
    if (given->get_object().contains("kind")) {
      auto whole = *given;
      auto& metadata = object_in(whole.get_object(), "metadata");
      if (!metadata.contains("name")) metadata["name"] = name;
      if (!metadata.contains("namespace") && !ns.empty()) metadata["namespace"] = ns;
      if (find_at(value, "/spec/replicas"))
        object_in(whole.get_object(), "spec")["replicas"] = replicas_of(value);
      return read(whole, where);
    }
    return make_pods(*given, {name, ns}, json::object(), replicas_of(value), where);
  }

  Result<void> read_workload(const Maker& maker, const json::value& value, const std::string& where) {
    const auto name = string_of(value, "/metadata/name"), ns = string_of(value, "/metadata/namespace");
    const auto* given = find_at(value, maker.pod_template);
    if (name.empty()) return invalid(fmt::format("{}: {}: metadata.name is required", where, maker.kind));
    if (!given || !given->is_object()) {
      auto path = std::string(maker.pod_template.substr(1));
      std::ranges::replace(path, '/', '.');
      return invalid(fmt::format("{}: {} {}: {}: missing", where, maker.kind, name, path));
    }
    auto pod = *given;
    json::object owner{{"apiVersion", maker.api_version},
                       {"kind", maker.kind},
                       {"name", name},
                       {"uid", name},
                       {"controller", true}};
    if (maker.kind == "Deployment") {
      owner["kind"] = "ReplicaSet";
      owner["name"] = fmt::format("{}-{}", name, kNewHash);
      add_replica_set(value, pod, name, ns, where);
    } else if (maker.kind != "Job" && maker.kind != "CronJob" && maker.kind != "DaemonSet") {
      if (auto kept = keep(out_.others, value, where); !kept) return kept;
    }
    if (maker.kind == "DaemonSet") tolerate_as_daemon(pod.get_object());
    if (maker.kind == "StatefulSet" && find_at(value, "/spec/volumeClaimTemplates")) {
      out_.warnings.push_back(fmt::format(
          "statefulset {}: the volumes of spec.volumeClaimTemplates are not taken into account offline",
          name));
    }
    return make_pods(pod, {name, ns}, std::move(owner), replicas_of(value), where);
  }

  // The Deployment's next ReplicaSet: its selector with a hash that no other has.
  void add_replica_set(const json::value& deployment, json::value& pod, const std::string& name,
                       const std::string& ns, const std::string& where) {
    const auto* selector = find_at(deployment, "/spec/selector");
    auto copy = selector && selector->is_object() ? selector->get_object() : json::object();
    object_in(copy, "matchLabels")[kHash] = kNewHash;
    object_in(object_in(pod.get_object(), "metadata"), "labels")[kHash] = kNewHash;
    json::object meta{{"name", fmt::format("{}-{}", name, kNewHash)}};
    if (!ns.empty()) meta["namespace"] = ns;
    const json::value set = json::object{{"apiVersion", "apps/v1"},
                                         {"kind", "ReplicaSet"},
                                         {"metadata", std::move(meta)},
                                         {"spec", json::object{{"selector", std::move(copy)}}}};
    out_.others.push_back({where, json::serialize(set)});
  }

  static void tolerate_as_daemon(json::object& pod) {
    auto& tolerations = object_in(pod, "spec")["tolerations"];
    if (!tolerations.is_array()) tolerations = json::array();
    for (const auto& [key, effect] : kDaemonTaints) {
      tolerations.get_array().push_back(
          json::object{{"key", key}, {"operator", "Exists"}, {"effect", effect}});
    }
  }

  struct Name {
    std::string name, ns;
  };

  Result<void> make_pods(const json::value& pod_template, const Name& of, json::object owner,
                         std::int64_t replicas, const std::string& where) {
    json::object pod{{"apiVersion", "v1"}, {"kind", "Pod"}};
    for (const auto& [key, field] : pod_template.get_object()) pod[key] = field;
    auto& metadata = object_in(pod, "metadata");
    if (!of.ns.empty()) metadata["namespace"] = of.ns;
    if (!owner.empty()) metadata["ownerReferences"] = json::array{std::move(owner)};
    for (std::int64_t i = 0; i < (replicas_ ? replicas : 1); ++i) {
      object_in(pod, "metadata")["name"] = fmt::format("{}-new-{}", of.name, i);
      out_.pods.push_back({where, json::serialize(pod)});
    }
    return {};
  }

  AskedObjects& out_;
  const bool replicas_;
  Problems& problems_;
};

template <typename T>
void merge_lists(Manifests::List<T>& into, Manifests::List<T>& from) {
  for (auto& object : from) {
    std::erase_if(into, [&](const auto& other) {
      return other->meta.name == object->meta.name && other->meta.namespace_ == object->meta.namespace_;
    });
    into.push_back(std::move(object));
  }
}

void merge_workloads(Manifests::List<api::Workload>& into, Manifests::List<api::Workload>& from) {
  for (auto& object : from) {
    std::erase_if(into, [&](const auto& other) {
      return other->kind == object->kind && other->meta.name == object->meta.name &&
             other->meta.namespace_ == object->meta.namespace_;
    });
    into.push_back(std::move(object));
  }
}

// Texts with pods only are left as they are, so that errors name the line of the file.
bool has_only_pods(const std::vector<api::Document>& documents) {
  const auto is_pod = [](const json::value& value) { return string_of(value, "/kind") == "Pod"; };
  return std::ranges::all_of(documents, [&](const api::Document& document) {
    const auto* items = find_at(document.value, "/items");
    if (!items || !items->is_array()) return is_pod(document.value);
    return string_of(document.value, "/kind") == "PodList" ||
           (!items->get_array().empty() && std::ranges::all_of(items->get_array(), is_pod));
  });
}

}  // namespace

AskedObjects read_asked(const std::vector<api::ManifestText>& texts, bool replicas, Problems& problems) {
  AskedObjects out;
  AskedReader reader(out, replicas, problems);
  for (const auto& text : texts) {
    api::YamlLimits limits;
    limits.lines = false;
    const auto documents = problems.value_of(api::parse_documents(text.text, text.source, limits));
    if (!documents) continue;
    if (!documents->empty() && has_only_pods(*documents)) {
      out.pods.push_back(text);
      continue;
    }
    const auto before = out.pods.size() + out.references.size() + problems.count();
    for (const auto& document : *documents) {
      const auto where = fmt::format("{}: document {} (line {})", text.source, document.index, document.line);
      if (auto done = reader.read(document.value, where); !done) problems.add(done.error());
    }
    if (out.pods.size() + out.references.size() + problems.count() == before)
      problems.add(text.source + ": no pod, and nothing with a template of pods, in it");
  }
  return out;
}

void merge_into(Manifests& cluster, Manifests others) {
  merge_lists(cluster.nodes, others.nodes);
  merge_lists(cluster.namespaces, others.namespaces);
  merge_workloads(cluster.workloads, others.workloads);
  merge_lists(cluster.priority_classes, others.priority_classes);
  merge_lists(cluster.disruption_budgets, others.disruption_budgets);
  merge_lists(cluster.persistent_volumes, others.persistent_volumes);
  merge_lists(cluster.persistent_volume_claims, others.persistent_volume_claims);
  merge_lists(cluster.storage_classes, others.storage_classes);
  merge_lists(cluster.csi_nodes, others.csi_nodes);
  merge_lists(cluster.csi_drivers, others.csi_drivers);
  merge_lists(cluster.csi_storage_capacities, others.csi_storage_capacities);
  merge_lists(cluster.volume_attachments, others.volume_attachments);
  merge_lists(cluster.resource_slices, others.resource_slices);
  merge_lists(cluster.device_classes, others.device_classes);
  merge_lists(cluster.resource_claims, others.resource_claims);
  merge_lists(cluster.resource_claim_templates, others.resource_claim_templates);
  merge_lists(cluster.limit_ranges, others.limit_ranges);
  merge_lists(cluster.runtime_classes, others.runtime_classes);
}

}  // namespace podium::evaluate
