#include "app/evaluate/subjects.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <map>

#include "api/decode/pod_makers.h"
#include "api/text/json_view.h"
#include "api/text/yaml.h"
#include "api/values/device.h"
#include "base/ascii.h"
#include "explain/answer/added_objects.h"
#include "explain/question/question.h"
#include "explain/workload/ephemeral_claims.h"
#include "explain/workload/fractional_bytes.h"
#include "explain/workload/made_by.h"
#include "explain/workload/scale.h"

namespace podium::evaluate {
namespace {

namespace json = boost::json;
using api::Manifests;
using explain::Subject;

// In messages about larger files, podium names the document and not the line.
constexpr std::size_t kLocated = 8 << 20;  // bytes

class AskedReader {
 public:
  AskedReader(const api::ManifestOptions& options, AskedObjects& out, std::vector<std::string>& warnings,
              Problems& problems)
      : options_(options), out_(out), warnings_(warnings), problems_(problems) {}

  void read_maker(api::SortedObjects::Object object) {
    const auto name = api::text_at(object.value, "/metadata/name");
    for (auto& warning : explain::fractional_bytes(object)) warnings_.push_back(std::move(warning));
    if (object.maker->kind == "Pod") {
      // Read together: a pod that two files have is one.
      pod_names_.emplace(out_.items.size(), namespace_of(object.value) + "/" + name);
      auto claims = explain::read_ephemeral_claims(object.value);
      if (!claims) problems_.add(fmt::format("{}: {}", object.place(""), claims.error().message));
      out_.items.push_back({.pod = {},
                            .subject = {},
                            .place = object.place(""),
                            .claims = std::move(claims).value_or(std::vector<explain::EphemeralClaim>())});
      pods_.push_back(std::move(object));
      return;
    }
    const auto said = to_lower(std::string(object.maker->kind)) + " " + name;
    const auto ns = namespace_of(object.value);
    add_subject(object, object.value, {name, ns}, said, FieldPath::document("manifest"));
    if (is_last_new_) workloads_.push_back({out_.items.size() - 1, said, ns, std::move(object.value)});
  }

  // Returns whether the object asks a question.
  bool read_question(const api::SortedObjects::Object& object) {
    if (object.role != api::Role::question) return false;
    const auto& value = object.value;
    const auto& where = object.where;
    const auto name = api::text_at(value, "/metadata/name");
    const auto said = fmt::format("schedulingreport {}", name);
    const auto place = fmt::format("{}: {}", where, said);
    const auto* dry_run = api::find_at(value, "/spec/dryRun");
    if (!dry_run || *dry_run != json::value(true)) {
      problems_.add(place + ": is the report of a decision; set spec.dryRun: true to ask a question");
      return true;
    }
    if (!is_answered_here(object, said)) return true;
    if (const auto reference = api::text_at(value, "/spec/podRef/name"); !reference.empty()) {
      out_.references.push_back(namespace_of(value) + "/" + reference);
      return true;
    }
    const auto* given = api::find_at(value, "/spec/template");
    if (!given || !given->is_object()) {
      problems_.add(place + ": spec.template: missing");
      return true;
    }
    add_subject(object, *given, {name, namespace_of(value)}, said, "spec.template");
    if (const auto* replicas = api::find_at(value, "/spec/replicas");
        replicas && replicas->is_int64() && is_last_new_)
      out_.items.back().subject->replicas = within_limit(replicas->get_int64());
    return true;
  }

  // The rest of a question changes its answer.
  bool is_answered_here(const api::SortedObjects::Object& object, const std::string& said) {
    constexpr std::array kRead = {"dryRun",     "template",       "podRef", "replicas",
                                  "ttlSeconds", "refreshSeconds", "nonce"};
    const auto before = problems_.count();
    for (const auto& [field, _] : object.value.at("spec").as_object()) {
      if (std::ranges::find(kRead, std::string_view(field)) != kRead.end()) continue;
      const auto path = fmt::format("spec.{}", std::string_view(field));
      problems_.add(fmt::format("{}: {}: {}: evaluate does not answer it; podium whatif -f does",
                                object.place(path), said, path));
    }
    return problems_.count() == before;
  }

  void read_autoscaler(const json::value& autoscaler) { autoscalers_.push_back(autoscaler); }

  // Puts the pods into their places, and gives the workloads the replicas that they get.
  void finish(const std::vector<json::value>& of_cluster) {
    autoscalers_.insert(autoscalers_.end(), of_cluster.begin(), of_cluster.end());
    for (const auto& workload : workloads_) scale(workload, *out_.items[workload.index].subject);
    auto read = problems_.value_of(api::read_objects(pods_, options_, warnings_));
    if (!read) return;
    std::map<std::string, api::PodPtr, std::less<>> by_name;
    for (auto& pod : read->pods) by_name.emplace(pod->full_name(), std::move(pod));
    for (const auto& [index, name] : pod_names_) {
      if (auto found = by_name.extract(name)) out_.items[index].pod = std::move(found.mapped());
    }
    std::erase_if(out_.items, [](const auto& item) { return !item.pod; });
  }

 private:
  struct Name {
    std::string name, ns;
  };
  struct Workload {
    std::size_t index;  // of the item
    std::string said, ns;
    json::value value;
  };

  void scale(const Workload& workload, Subject& subject) {
    const auto& [index, said, ns, value] = workload;
    if (explain::is_suspended(value, false))
      warnings_.push_back(said + " is suspended: this is the answer for its pods once it is resumed");
    if (explain::has_ended(value)) warnings_.push_back(said + " has ended: this is the answer for a new one");
    if (api::is_true_at(value, "/spec/paused"))
      warnings_.push_back(said + " is paused: if it is new, it has no pods until it is resumed");
    const auto scaler = explain::autoscaler_of(value, ns, autoscalers_);
    const auto replicas = scaler ? scaler->replicas(subject.replicas) : subject.replicas;
    if (replicas == subject.replicas) {
      const auto written = api::integer_at(value, "/spec/replicas").value_or(0);
      if (written > subject.replicas)
        warnings_.push_back(
            fmt::format("{} has {} replicas: this is the answer for {}", said, written, subject.replicas));
      return;
    }
    subject.replicas = within_limit(replicas);
    warnings_.push_back(
        fmt::format("{}: HorizontalPodAutoscaler {} keeps {} to {} replicas: this is the answer for {}", said,
                    scaler->name, scaler->least, scaler->most, subject.replicas));
  }

  static std::int32_t within_limit(std::int64_t replicas) {
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(replicas, 0, explain::kMostReplicas));
  }

  std::string namespace_of(const json::value& value) const {
    auto ns = api::text_at(value, "/metadata/namespace");
    return ns.empty() ? options_.ns : ns;
  }

  // `value`: of the object, at this path.
  void add_subject(const api::SortedObjects::Object& object, const json::value& value, const Name& of,
                   const std::string& said, const FieldPath& path) {
    is_last_new_ = false;
    api::ObjectMeta meta;
    meta.name = of.name + "-new-0";
    meta.namespace_ = of.ns;
    auto subject = explain::read_template(value, path, meta, options_.allow_unknown_fields);
    if (!subject) {
      for (const auto& finding : findings_of(subject.error()))
        problems_.add(fmt::format("{}: {}: {}", object.place(finding.path), said, finding.text()));
      return;
    }
    if (subject->name.empty()) subject->name = of.name;
    subject->replicas = within_limit(subject->replicas);
    auto pod = std::make_shared<const api::Pod>(subject->pod);
    out_.items.push_back({std::move(pod), std::move(*subject), object.place("")});
    is_last_new_ = true;
  }

  const api::ManifestOptions& options_;
  AskedObjects& out_;
  std::vector<std::string>& warnings_;
  Problems& problems_;
  std::vector<api::SortedObjects::Object> pods_;
  std::map<std::size_t, std::string> pod_names_;  // by the index of the item
  std::vector<Workload> workloads_;
  std::vector<json::value> autoscalers_;
  bool is_last_new_ = false;
};

template <typename T>
void merge_lists(Manifests::List<T>& into, Manifests::List<T>& from) {
  for (auto& object : from) {
    const auto is_same = [&](const auto& other) {
      return other->meta.name == object->meta.name && other->meta.namespace_ == object->meta.namespace_;
    };
    if (const auto known = std::ranges::find_if(into, is_same); known != into.end()) {
      if constexpr (api::keeps_state<T>) continue;
      // Admission takes an object of another kind with an age as stored.
      if constexpr (std::is_same_v<T, api::StorageClass>) {
        auto applied = std::make_shared<T>(*object);
        explain::keep_age(**known, *applied);
        object = std::move(applied);
      }
      into.erase(known);
    }
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

}  // namespace

AskedObjects read_asked(const std::vector<api::ManifestText>& texts, const api::ManifestOptions& options,
                        const std::vector<json::value>& autoscalers, std::vector<std::string>& warnings,
                        Problems& problems) {
  AskedObjects out;
  AskedReader reader(options, out, warnings, problems);
  explain::FileWorkloads workloads(options.ns);
  std::vector<std::pair<std::string, api::SortedObjects>> files;  // by source
  for (const auto& text : texts) {
    api::YamlLimits limits;
    limits.lines = text.text.size() <= kLocated;
    auto documents = problems.value_of(api::parse_documents(text.text, text.source, limits));
    if (!documents) continue;
    const auto before = problems.count();
    auto sorted = api::sort_objects(std::move(*documents), text.source, problems);
    const bool asks = std::ranges::any_of(sorted.objects, [](const api::SortedObjects::Object& object) {
      return object.maker || object.role == api::Role::question;
    });
    if (!asks && problems.count() == before)
      problems.add(
          fmt::format("{}: contains {}{}{}", text.source, api::kNoPodMaker,
                      sorted.skipped.empty() ? "" : "; not asked: ", fmt::join(sorted.skipped, ", ")));
    workloads.add(sorted.objects);
    files.emplace_back(text.source, std::move(sorted));
  }
  std::vector<api::SortedObjects::Object> others;
  for (auto& [source, sorted] : files) {
    if (auto made = workloads.drop_made(sorted.objects); !made.empty())
      sorted.skipped.push_back(std::move(made));
    for (auto& object : sorted.objects) {
      if (object.maker)
        reader.read_maker(std::move(object));
      else if (!reader.read_question(object)) {
        if (api::text_at(object.value, "/kind") == "ResourceQuota")
          warnings.push_back(fmt::format(
              "{}: ResourceQuota {} is not part of the question: only the quotas of the cluster count",
              object.where, api::text_at(object.value, "/metadata/name")));
        if (api::text_at(object.value, "/kind") == "HorizontalPodAutoscaler")
          reader.read_autoscaler(object.value);
        others.push_back(std::move(object));
      }
    }
    if (!sorted.skipped.empty())
      warnings.push_back(fmt::format("{}: not asked: {}", source, fmt::join(sorted.skipped, ", ")));
  }
  reader.finish(autoscalers);
  if (auto read = problems.value_of(api::read_objects(others, options, warnings)))
    out.others = std::move(*read);
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
  merge_lists(cluster.device_taint_rules, others.device_taint_rules);
  merge_lists(cluster.resource_claims, others.resource_claims);
  merge_lists(cluster.resource_claim_templates, others.resource_claim_templates);
  merge_lists(cluster.limit_ranges, others.limit_ranges);
  merge_lists(cluster.runtime_classes, others.runtime_classes);
}

}  // namespace podium::evaluate
