#include "app/evaluate/asked.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "api/json_view.h"
#include "api/pod_makers.h"
#include "api/yaml.h"

namespace podium::evaluate {
namespace {

namespace json = boost::json;
using api::Manifests;
using explain::Subject;

constexpr std::int64_t kMaxPods = 10'000;

// An object from a document is a separate text, whose source already names the place.
Error with_one_place(Error error, const std::string& source) {
  const auto twice = source + ": document 1 (line 1)";
  auto& message = error.message;
  for (auto at = message.find(twice); at != std::string::npos; at = message.find(twice, at))
    message.replace(at, twice.size(), source);
  return error;
}

class AskedReader {
 public:
  AskedReader(const api::ManifestOptions& options, AskedObjects& out, std::vector<std::string>& warnings,
              Problems& problems)
      : options_(options), out_(out), warnings_(warnings), problems_(problems) {}

  void read_pods(const api::ManifestText& text) {
    auto pods = api::read_pods({text}, options_);
    if (!pods) return problems_.add(with_one_place(std::move(pods.error()), text.source));
    for (auto& pod : *pods) out_.items.push_back({std::move(pod), std::nullopt});
  }

  void read_maker(const api::SortedObjects::Object& object) {
    if (object.maker->kind == "Pod") return read_pods({object.where, json::serialize(object.value)});
    const auto name = api::text_at(object.value, "/metadata/name");
    add_subject(object.value, {name, namespace_of(object.value)},
                object.where + ": " + lower_kind(object) + " " + name, "");
  }

  // Returns whether the object asks a question.
  bool read_question(const api::SortedObjects::Object& object) {
    const auto& [value, where, maker] = object;
    if (api::text_at(value, "/kind") != "SchedulingReport") return false;
    const auto name = api::text_at(value, "/metadata/name");
    const auto place = fmt::format("{}: schedulingreport {}", where, name);
    const auto* dry_run = api::find_at(value, "/spec/dryRun");
    if (!dry_run || *dry_run != json::value(true)) {
      problems_.add(place + ": is a decision; a question has spec.dryRun: true");
      return true;
    }
    for (const auto* field :
         {"changes", "strategies", "workloadRef", "fixes", "nodes", "profile", "minCount", "room"}) {
      if (api::find_at(value, fmt::format("/spec/{}", field)))
        warnings_.push_back(
            fmt::format("schedulingreport {}: spec.{} is not taken into account offline", name, field));
    }
    if (const auto reference = api::text_at(value, "/spec/podRef/name"); !reference.empty()) {
      out_.references.push_back(namespace_of(value) + "/" + reference);
      return true;
    }
    const auto* given = api::find_at(value, "/spec/template");
    if (!given || !given->is_object()) {
      problems_.add(place + ": spec.template: missing");
      return true;
    }
    add_subject(*given, {name, namespace_of(value)}, place, "spec.template");
    if (const auto* replicas = api::find_at(value, "/spec/replicas");
        replicas && replicas->is_int64() && is_last_new_)
      out_.items.back().subject->replicas =
          static_cast<std::int32_t>(std::clamp<std::int64_t>(replicas->get_int64(), 0, kMaxPods));
    return true;
  }

  void read_others(const std::vector<api::ManifestText>& texts) {
    auto others = api::read_manifests(texts, options_, warnings_);
    if (others) {
      out_.others = std::move(*others);
      return;
    }
    auto error = std::move(others.error());
    for (const auto& text : texts) error = with_one_place(std::move(error), text.source);
    problems_.add(error);
  }

 private:
  struct Name {
    std::string name, ns;
  };

  static std::string lower_kind(const api::SortedObjects::Object& object) {
    std::string out(object.maker->kind);
    std::ranges::transform(out, out.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
  }

  std::string namespace_of(const json::value& value) const {
    auto ns = api::text_at(value, "/metadata/namespace");
    return ns.empty() ? options_.ns : ns;
  }

  void add_subject(const json::value& value, const Name& of, const std::string& where,
                   const std::string& path) {
    is_last_new_ = false;
    api::ObjectMeta meta;
    meta.name = of.name + "-new-0";
    meta.namespace_ = of.ns;
    auto subject = explain::read_template(value, path, meta, options_.allow_unknown_fields);
    if (!subject) {
      // The path of a manifest's own field starts with a dot.
      const std::string_view message = subject.error().message;
      return problems_.add(fmt::format("{}: {}", where, message.substr(message.starts_with('.') ? 1 : 0)));
    }
    if (subject->name.empty()) subject->name = of.name;
    subject->replicas = static_cast<std::int32_t>(std::min<std::int64_t>(subject->replicas, kMaxPods));
    out_.items.push_back({std::make_shared<const api::Pod>(subject->pod), std::move(*subject)});
    is_last_new_ = true;
  }

  const api::ManifestOptions& options_;
  AskedObjects& out_;
  std::vector<std::string>& warnings_;
  Problems& problems_;
  bool is_last_new_ = false;
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

// Does not change texts that have only pods, so that errors name the line of the file.
bool has_only_pods(const std::vector<api::Document>& documents) {
  const auto is_pod = [](const json::value& value) {
    return api::text_at(value, "/kind") == "Pod" &&
           !api::find_at(value, "/metadata/annotations/helm.sh~1hook");
  };
  return std::ranges::all_of(documents, [&](const api::Document& document) {
    const auto* items = api::find_at(document.value, "/items");
    if (!items || !items->is_array()) return is_pod(document.value);
    return api::text_at(document.value, "/kind") == "PodList" ||
           (!items->get_array().empty() && std::ranges::all_of(items->get_array(), is_pod));
  });
}

}  // namespace

AskedObjects read_asked(const std::vector<api::ManifestText>& texts, const api::ManifestOptions& options,
                        std::vector<std::string>& warnings, Problems& problems) {
  AskedObjects out;
  AskedReader reader(options, out, warnings, problems);
  std::vector<api::ManifestText> others;
  for (const auto& text : texts) {
    api::YamlLimits limits;
    limits.lines = false;
    auto documents = problems.value_of(api::parse_documents(text.text, text.source, limits));
    if (!documents) continue;
    if (!documents->empty() && has_only_pods(*documents)) {
      reader.read_pods(text);
      continue;
    }
    const auto before = out.items.size() + out.references.size() + problems.count();
    auto sorted = api::sort_objects(std::move(*documents), text.source, problems);
    for (const auto& object : sorted.objects) {
      if (object.maker)
        reader.read_maker(object);
      else if (!reader.read_question(object))
        others.push_back({object.where, json::serialize(object.value)});
    }
    if (!sorted.skipped.empty())
      warnings.push_back(fmt::format("{}: not asked: {}", text.source, fmt::join(sorted.skipped, ", ")));
    if (out.items.size() + out.references.size() + problems.count() == before)
      problems.add(
          fmt::format("{}: no pod, and nothing with a template of pods, in it{}{}", text.source,
                      sorted.skipped.empty() ? "" : "; not asked: ", fmt::join(sorted.skipped, ", ")));
  }
  if (!others.empty()) reader.read_others(others);
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
