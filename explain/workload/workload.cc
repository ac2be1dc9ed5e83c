#include "explain/workload/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "api/decode/decode.h"
#include "api/decode/known_fields.h"
#include "api/text/json_view.h"
#include "api/values/defaults.h"
#include "api/values/static_pod.h"
#include "api/values/tolerations.h"
#include "base/problems.h"
#include "explain/workload/device_claims.h"
#include "explain/workload/new_claims.h"
#include "explain/workload/pod_end.h"
#include "explain/workload/scale.h"
#include "explain/workload/unscheduled.h"
#include "explain/workload/validate_workload.h"
#include "scheduler/plugins/shared/node_selector.h"

namespace podium::explain {
namespace {

namespace json = boost::json;
using Kind = Subject::Kind;

// The value of a label that the Deployment's controller sets. It never has this value in a cluster, because
// it consists of consonants and digits there.
constexpr const char* kTemplateHash = "what-if";

std::optional<std::int32_t> count_of(const json::value& value, std::string_view pointer) {
  const auto* found = api::find_at(value, pointer);
  if (!found || !found->is_int64()) return std::nullopt;
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(found->get_int64(), 0, 1'000'000'000));
}

Result<void> check_namespace(const json::value& value, const FieldPath& path, const api::ObjectMeta& report) {
  const auto why = other_namespace(api::text_at(value, "/metadata/namespace"), report.namespace_);
  if (!why.empty()) return invalid((path / "metadata.namespace").said(why));
  return {};
}

// Reads the template of a pod. The pod gets labels, annotations and owners from the template; name, namespace
// and UID come from the report.
Result<void> read_pod_template(const json::value& value, const FieldPath& path, const api::ObjectMeta& report,
                               Subject& out) {
  auto pod = api::decode_pod_template(value);
  if (!pod) return std::unexpected(below(path, pod.error()));
  if (pod->containers.empty()) return invalid((path / "spec.containers").said("at least one is needed"));
  auto claims = read_ephemeral_claims(value);
  if (!claims) return std::unexpected(below(path, claims.error()));
  out.claims = std::move(*claims);
  out.has_deadline = count_of(value, "/spec/activeDeadlineSeconds").has_value();
  out.os = api::text_at(value, "/spec/os/name");
  out.names_scheduler = api::find_at(value, "/spec/schedulerName") != nullptr;
  api::ObjectMeta meta;
  meta.name = report.name;
  meta.namespace_ = report.namespace_;
  meta.uid = report.uid;
  meta.labels = std::move(pod->meta.labels);
  meta.annotations = std::move(pod->meta.annotations);
  meta.owners = std::move(pod->meta.owners);
  pod->meta = std::move(meta);
  out.pod = std::move(*pod);
  return {};
}

void own(Subject& subject, Kind kind, const std::string& name) {
  subject.pod.meta.owners = {{.api_version = maker_of(kind).api_version(),
                              .kind = std::string(maker_of(kind).kind),
                              .name = name,
                              .uid = name + "-what-if",
                              .controller = true}};
}

void add_owner_object(Subject& subject, api::Workload::Kind kind, const std::string& name,
                      std::optional<api::LabelSelector> selector) {
  auto& owner = subject.owner.emplace();
  owner.meta.namespace_ = subject.pod.meta.namespace_;
  owner.meta.name = name;
  owner.meta.uid = name + "-what-if";
  owner.kind = kind;
  owner.selector = std::move(selector);
}

// The API server refuses a workload whose selector is absent or does not select its own pods.
Result<std::optional<api::LabelSelector>> read_selector(const json::value& value, const FieldPath& path,
                                                        const Subject& subject) {
  const auto* selector = api::find_at(value, "/spec/selector");
  if (!selector) return invalid((path / "spec.selector").said("required"));
  auto read = api::decode_label_selector(*selector, (path / "spec.selector").text());
  if (!read) return std::unexpected(read.error());
  if (!read->matches(subject.pod.meta.labels)) {
    return invalid((path / "spec.template.metadata.labels").said("spec.selector does not match them"));
  }
  return std::optional<api::LabelSelector>(std::move(*read));
}

// A pod's owner is a ReplicaSet whose selector is the Deployment's with the template's hash.
void own_as_deployment(Subject& subject, std::optional<api::LabelSelector> selector) {
  subject.pod.meta.labels.set("pod-template-hash", kTemplateHash);
  selector->match_labels.set("pod-template-hash", kTemplateHash);
  const auto replica_set = subject.name + "-" + kTemplateHash;
  own(subject, Kind::replica_set, replica_set);
  add_owner_object(subject, api::Workload::Kind::replica_set, replica_set, std::move(selector));
}

Result<void> own_as_stateful_set(Subject& subject, const json::value& value, const FieldPath& path,
                                 std::optional<api::LabelSelector> selector) {
  own(subject, Kind::stateful_set, subject.name);
  add_owner_object(subject, api::Workload::Kind::stateful_set, subject.name, std::move(selector));
  subject.is_parallel = api::text_at(value, "/spec/podManagementPolicy") == "Parallel";
  subject.first_ordinal = count_of(value, "/spec/ordinals/start").value_or(0);
  const auto* templates = api::find_at(value, "/spec/volumeClaimTemplates");
  if (!templates || !templates->is_array()) return {};
  for (std::size_t i = 0; i < templates->get_array().size(); ++i) {
    auto claim = api::decode_persistent_volume_claim(templates->get_array()[i]);
    if (!claim) return std::unexpected(below((path / "spec.volumeClaimTemplates")[i], claim.error()));
    api::set_defaults(*claim);
    subject.claim_templates.push_back(std::move(*claim));
  }
  return {};
}

// A ReplicationController selects by labels alone, by default those of its template.
std::optional<api::LabelSelector> plain_selector(const json::value& value, const Subject& subject) {
  api::LabelSelector selector;
  const auto* given = api::find_at(value, "/spec/selector");
  if (!given || !given->is_object() || given->get_object().empty()) {
    selector.match_labels = subject.pod.meta.labels;
    return selector;
  }
  for (const auto& [key, label] : given->get_object()) {
    if (label.is_string()) selector.match_labels.set(std::string(key), std::string(label.get_string()));
  }
  return selector;
}

// `value`: a Job, or a CronJob's jobTemplate. A CronJob is evaluated as one of its Jobs.
void own_as_job(Subject& subject, const json::value& value) {
  own(subject, Kind::job, subject.name);
  auto& labels = subject.pod.meta.labels;
  for (const auto* key : {"batch.kubernetes.io/job-name", "job-name"}) labels.set(key, subject.name);
  for (const auto* key : {"batch.kubernetes.io/controller-uid", "controller-uid"})
    labels.set(key, subject.name + "-what-if");
  subject.is_indexed = api::text_at(value, "/spec/completionMode") == "Indexed";
  const auto parallelism = count_of(value, "/spec/parallelism").value_or(1);
  subject.replicas = std::min(parallelism, count_of(value, "/spec/completions").value_or(parallelism));
}

// The tolerations that the DaemonSet's controller adds.
void add_daemon_tolerations(api::Pod& pod) {
  using enum api::TaintEffect;
  const auto tolerate = [&pod](const char* key, api::TaintEffect effect) {
    const api::Toleration toleration{
        .key = key, .value = "", .op = api::Toleration::Op::exists, .effect = effect};
    if (std::ranges::find(pod.tolerations, toleration) == pod.tolerations.end())
      pod.tolerations.push_back(toleration);
  };
  tolerate("node.kubernetes.io/not-ready", no_execute);
  tolerate("node.kubernetes.io/unreachable", no_execute);
  tolerate("node.kubernetes.io/disk-pressure", no_schedule);
  tolerate("node.kubernetes.io/memory-pressure", no_schedule);
  tolerate("node.kubernetes.io/pid-pressure", no_schedule);
  tolerate("node.kubernetes.io/unschedulable", no_schedule);
  if (pod.host_network) tolerate("node.kubernetes.io/network-unavailable", no_schedule);
}

Result<Subject> read_manifest(const json::value& value, Kind kind, const FieldPath& path,
                              const api::ObjectMeta& report) {
  Subject subject;
  subject.kind = kind;
  if (kind == Kind::pod) {
    if (auto checked = check_namespace(value, path, report); !checked)
      return std::unexpected(checked.error());
    if (auto read = read_pod_template(value, path, report, subject); !read)
      return std::unexpected(read.error());
    return subject;
  }
  subject.name = api::text_at(value, "/metadata/name");
  if (subject.name.empty()) return invalid((path / "metadata.name").said("required"));
  if (auto checked = check_namespace(value, path, report); !checked) return std::unexpected(checked.error());
  const auto* pod_template = api::find_at(value, maker_of(kind).pod_template);
  const auto template_path = pod_path(path, kind);
  if (!pod_template) return invalid(template_path.said("required"));
  if (auto read = read_pod_template(*pod_template, template_path, report, subject); !read)
    return std::unexpected(read.error());
  subject.replicas = count_of(value, "/spec/replicas").value_or(1);
  subject.kept_template = kept_template(value);
  if (kind == Kind::job || kind == Kind::cron_job) {
    own_as_job(subject, kind == Kind::job ? value : value.at_pointer("/spec/jobTemplate"));
    return subject;
  }
  if (kind == Kind::replication_controller) {
    own(subject, kind, subject.name);
    add_owner_object(subject, api::Workload::Kind::replication_controller, subject.name,
                     plain_selector(value, subject));
    return subject;
  }
  auto selector = read_selector(value, path, subject);
  if (!selector) return std::unexpected(selector.error());
  switch (kind) {
    case Kind::deployment:
      own_as_deployment(subject, std::move(*selector));
      subject.rolling_update = read_rolling_update(value);
      break;
    case Kind::replica_set:
      own(subject, Kind::replica_set, subject.name);
      add_owner_object(subject, api::Workload::Kind::replica_set, subject.name, std::move(*selector));
      break;
    case Kind::stateful_set:
      if (auto owned = own_as_stateful_set(subject, value, path, std::move(*selector)); !owned)
        return std::unexpected(owned.error());
      subject.rolling_update = read_stateful_update(value);
      break;
    default:
      own(subject, Kind::daemon_set, subject.name);
      add_daemon_tolerations(subject.pod);
      subject.rolling_update = read_daemon_update(value);
  }
  return subject;
}

std::string known_kinds() {
  std::string out;
  for (const auto& maker : api::pod_makers()) out += fmt::format("{}{}", out.empty() ? "" : ", ", maker.kind);
  return out;
}

bool is_controlled(const api::Pod& pod, std::string_view kind, std::string_view name) {
  const auto* owner = pod.meta.controller();
  return owner && owner->kind == kind && owner->name == name;
}

// The ReplicaSets of the Deployment's namespace by name, and whether they are the Deployment's.
using ReplicaSets = std::map<std::string, bool, std::less<>>;
ReplicaSets replica_sets_by(const Subject& subject, const cluster::Snapshot& snapshot) {
  ReplicaSets sets;
  for (const auto& [key, workload] : snapshot.objects().workloads()) {
    if (workload->kind != api::Workload::Kind::replica_set) continue;
    if (workload->meta.namespace_ != subject.pod.meta.namespace_) continue;
    const auto* owner = workload->meta.controller();
    sets[workload->meta.name] = owner && owner->kind == "Deployment" && owner->name == subject.name;
  }
  return sets;
}

// The name that the Deployment's controller gives the ReplicaSet of the pod.
std::string replica_set_by_hash(const api::Pod& pod, const std::string& deployment) {
  const auto* hash = pod.meta.labels.find("pod-template-hash");
  return hash ? fmt::format("{}-{}", deployment, *hash) : std::string();
}

void add_unknown_fields(const json::value& value, std::string_view type, const FieldPath& path,
                        Problems& problems) {
  for (const auto& unknown : api::detail::unknown_fields(value, type))
    problems.add(path / unknown, "unknown field");
}

}  // namespace

std::optional<Kind> workload_kind(std::string_view kind) {
  for (const auto each :
       {Kind::deployment, Kind::stateful_set, Kind::replica_set, Kind::daemon_set, Kind::job}) {
    if (to_string(each) == kind) return each;
  }
  return std::nullopt;
}

const api::PodMaker& maker_of(Kind kind) { return api::pod_makers()[static_cast<std::size_t>(kind)]; }
std::string_view to_string(Kind kind) { return maker_of(kind).kind; }

std::string other_namespace(std::string_view named, std::string_view ns) {
  if (named.empty() || named == ns) return {};
  return fmt::format("must be the namespace of the what-if, {}: only its quotas, limits and claims are read",
                     ns);
}

FieldPath pod_path(const FieldPath& path, Kind kind) {
  if (kind == Kind::pod) return path;
  auto below = std::string(maker_of(kind).pod_template.substr(1));
  std::ranges::replace(below, '/', '.');
  return path / below;
}

Result<void> check_known_fields(const json::value& value, std::string_view type, const FieldPath& path) {
  Problems problems;
  add_unknown_fields(value, type, path, problems);
  return problems.result_in_line();
}

Result<Subject> read_template(const json::value& value, const FieldPath& path, const api::ObjectMeta& report,
                              bool allow_unknown_fields) {
  const auto check_fields = [&](std::string_view type) -> Result<void> {
    Problems problems;
    if (!allow_unknown_fields) add_unknown_fields(value, type, path, problems);
    for (const auto& wrong : api::detail::wrong_types(value, type))
      problems.add(path / wrong.path, wrong.reason);
    return problems.result_in_line();
  };
  if (!value.is_object() || !value.get_object().contains("kind")) {
    if (auto known = check_fields("PodTemplateSpec"); !known) return std::unexpected(known.error());
    Subject subject;
    if (auto read = read_pod_template(value, path, report, subject); !read)
      return std::unexpected(read.error());
    if (auto valid = validate_template(value, path); !valid) return std::unexpected(valid.error());
    return subject;
  }
  const auto kind = api::text_at(value, "/kind");
  const auto maker = std::ranges::find(api::pod_makers(), kind, &api::PodMaker::kind);
  if (maker == api::pod_makers().end()) {
    return invalid((path / "kind").said(fmt::format("unknown kind \"{}\" (known: {})", kind, known_kinds())));
  }
  if (api::text_at(value, "/apiVersion") != maker->api_version()) {
    return invalid(
        (path / "apiVersion").said(fmt::format("must be {} for a {}", maker->api_version(), kind)));
  }
  if (auto known = check_fields(kind); !known) return std::unexpected(known.error());
  const auto index = static_cast<std::size_t>(maker - api::pod_makers().begin());
  auto subject = read_manifest(value, static_cast<Kind>(index), path, report);
  if (!subject) return subject;
  if (auto valid = validate_workload(value, subject->kind, path); !valid)
    return std::unexpected(valid.error());
  return subject;
}

Result<Subject> read_workload(const json::value& value, Kind kind, const FieldPath& path,
                              const api::ObjectMeta& report) {
  auto subject = read_manifest(value, kind, path, report);
  if (!subject) return subject;
  const char* counted = kind == Kind::daemon_set ? "/status/currentNumberScheduled"
                        : kind == Kind::job      ? "/status/active"
                                                 : "/status/replicas";
  subject->existing = count_of(value, counted).value_or(0);
  if (kind == Kind::job) subject->replicas = pods_of_job(value);
  return subject;
}

Result<Subject> read_stored_pod(const json::value& value, const FieldPath& path) {
  auto pod = api::decode_pod(value);
  // Its own fields are not in the question.
  if (!pod) return invalid(path.said(pod.error().message));
  if (api::is_static(*pod))
    return invalid(path.said(
        fmt::format("{} is a static pod of {}: its kubelet runs it there, and no scheduler decides about it",
                    pod->full_name(), pod->node_name)));
  auto claims = read_ephemeral_claims(value);
  if (!claims) return invalid(path.said(claims.error().message));
  Subject subject;
  subject.claims = std::move(*claims);
  subject.has_deadline = count_of(value, "/spec/activeDeadlineSeconds").has_value();
  subject.os = api::text_at(value, "/spec/os/name");
  subject.names_scheduler = true;
  subject.is_stored = true;
  subject.end = end_of_pod(value);
  if (subject.end.empty()) subject.end = end_of_pod(*pod);
  if (!pod->node_name.empty() && !names_its_node(*pod)) {
    subject.was_on = pod->node_name;
    unschedule(*pod);
  }
  pod->meta.deleted.reset();  // no scheduler tries a pod that is being deleted: the answer is for a new one
  subject.pod = std::move(*pod);
  return subject;
}

std::function<bool(const api::Pod&)> own_pods_of(const Subject& subject, const cluster::Snapshot& fork) {
  if (subject.is_stored)
    return [uid = subject.pod.meta.uid](const api::Pod& pod) { return pod.meta.uid == uid; };
  if (subject.kind == Kind::pod) return [](const api::Pod&) { return false; };
  const bool is_deployment = subject.kind == Kind::deployment;
  auto sets = is_deployment ? replica_sets_by(subject, fork) : ReplicaSets();
  return [&subject, is_deployment, sets = std::move(sets)](const api::Pod& pod) {
    if (pod.meta.namespace_ != subject.pod.meta.namespace_) return false;
    const auto* owner = pod.meta.controller();
    if (!is_deployment) return is_controlled(pod, to_string(subject.kind), subject.name);
    if (!owner || owner->kind != "ReplicaSet") return false;
    // A dump may lack ReplicaSets.
    const auto known = sets.find(owner->name);
    return known != sets.end() ? known->second : owner->name == replica_set_by_hash(pod, subject.name);
  };
}

RemovedPods remove_placed(const Subject& subject, cluster::Snapshot& fork) {
  RemovedPods removed;
  auto& gone = removed.placed;
  if (subject.is_stored) {
    if (const auto* pod = fork.find_pod(subject.pod.meta.uid)) gone.push_back(*pod);
  } else if (subject.kind != Kind::pod) {
    const auto is_its = own_pods_of(subject, fork);
    fork.each_pod([&](const cluster::PodInfoPtr& pod) {
      if (is_its(*pod->pod)) gone.push_back(pod);
    });
    // A pod that waits for its victims to terminate reserves room on its node.
    for (const auto& nomination : fork.nominations()) {
      if (!is_its(*nomination.pod->pod)) continue;
      removed.nominated.push_back(nomination.pod);
      const auto row = fork.find_row(nomination.node);
      for (const auto& pod : row ? fork.entry(*row).pods : std::vector<cluster::PodInfoPtr>()) {
        if (pod->pod->terminating() && pod->priority < nomination.pod->priority && !is_its(*pod->pod))
          removed.victims.push_back(pod);
      }
    }
    for (const auto& pod : removed.nominated) fork.withdraw_nomination(pod->pod->meta.uid);
  }
  for (const auto* pods : {&gone, &removed.victims}) {
    for (const auto& pod : *pods) {
      if (fork.find_pod(pod->pod->meta.uid)) remove_with_devices(*pod->pod, fork);
    }
  }
  return removed;
}

void add_owner(const Subject& subject, cluster::Snapshot& fork) {
  if (subject.owner) fork.objects().set_workload(std::make_shared<api::Workload>(*subject.owner));
}

api::Pod replica_of(const Subject& subject, const api::Pod& admitted, std::int32_t index) {
  api::Pod pod = admitted;
  if (index > 0) {
    pod.meta.uid = fmt::format("{}#{}", pod.meta.uid, index);
    pod.meta.name =
        fmt::format("{}#{}", pod.meta.name, index);  // the names of ephemeral claims derive from it
    pod.resource_claim_statuses.clear();
  }
  if (subject.kind == Kind::stateful_set) {
    const auto ordinal = subject.first_ordinal + index;
    pod.meta.name = fmt::format("{}-{}", subject.name, ordinal);
    pod.meta.labels.set("statefulset.kubernetes.io/pod-name", pod.meta.name);
    pod.meta.labels.set("apps.kubernetes.io/pod-index", std::to_string(ordinal));
    std::set<std::string_view> replaced;
    for (const auto& claim : subject.claim_templates) replaced.insert(claim.meta.name);
    std::erase_if(pod.volumes.write(), [&](const auto& each) { return replaced.contains(each.name); });
    for (const auto& claim : subject.claim_templates) {
      api::Volume volume;
      volume.name = claim.meta.name;
      volume.kind = api::Volume::Kind::claim;
      volume.id = fmt::format("{}-{}", claim.meta.name, pod.meta.name);
      pod.volumes.push_back(std::move(volume));
    }
  }
  if (subject.is_indexed)
    pod.meta.labels.set("batch.kubernetes.io/job-completion-index", std::to_string(index));
  return pod;
}

void make_set_claims(const Subject& subject, const api::Pod& replica, cluster::Snapshot& fork) {
  for (const auto& of : subject.claim_templates) {
    const auto name = fmt::format("{}-{}", of.meta.name, replica.meta.name);
    if (fork.objects().find<api::PersistentVolumeClaim>(replica.meta.namespace_, name)) continue;
    auto claim = std::make_shared<api::PersistentVolumeClaim>(of);
    claim->meta.name = name;
    claim->meta.namespace_ = replica.meta.namespace_;
    claim->meta.uid = name + "-what-if";
    add_claim(std::move(claim), fork);
  }
}

std::vector<cluster::Row> daemon_rows(const api::Pod& pod, const cluster::Snapshot& snapshot) {
  const auto selected = plugins::selected_nodes(pod, snapshot);
  const api::Tolerations tolerations(pod.tolerations, false);
  std::vector<cluster::Row> rows;
  for (const auto row : snapshot.rows_by_name()) {
    const auto keeps_away = [&](const auto& taint) { return tolerations.are_kept_away_by(taint); };
    if (selected.test(row) && std::ranges::none_of(snapshot.entry(row).node->taints, keeps_away))
      rows.push_back(row);
  }
  return rows;
}

void pin_to_node(api::Pod& pod, std::string_view node) {
  const api::Requirement by_name{
      .key = "metadata.name", .op = api::Requirement::Op::in, .values = {std::string(node)}};
  pod.node_affinity.required =
      api::SharedList<api::NodeSelectorTerm>{{.match_expressions = {}, .match_fields = {by_name}}};
}

}  // namespace podium::explain
