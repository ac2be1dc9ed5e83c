#include "app/offline/dump.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/object.hpp>
#include <chrono>
#include <memory>
#include <optional>

#include "api/decode/decode.h"
#include "api/decode/pod_group_minimum.h"
#include "api/text/json_view.h"
#include "app/offline/budgets.h"
#include "app/offline/files.h"
#include "app/offline/missing_kinds.h"
#include "app/offline/offline_cluster.h"
#include "base/clock.h"
#include "base/problems.h"
#include "explain/answer/answer.h"
#include "explain/report/ttl.h"

namespace podium::offline {
namespace {

namespace json = boost::json;

// CPU time of a search, which may try as many choices as it has time for.
constexpr std::chrono::seconds kSearchTime{15};

// The kinds of the dump and of what the changes add to it.
api::Manifests with_added(const api::Manifests& dump, const std::vector<explain::Change>& changes) {
  auto out = dump;
  const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  for (const auto& change : changes) {
    const auto& added = change.objects;
    append(out.workloads, added.workloads);
    append(out.persistent_volumes, added.persistent_volumes);
    append(out.disruption_budgets, added.disruption_budgets);
    append(out.storage_classes, added.storage_classes);
    append(out.csi_drivers, added.csi_drivers);
    append(out.runtime_classes, added.runtime_classes);
    append(out.device_classes, added.device_classes);
    append(out.resource_claims, added.resource_claims);
    append(out.resource_claim_templates, added.resource_claim_templates);
    for (const auto& claim : change.claims)
      out.persistent_volume_claims.push_back(std::make_shared<const api::PersistentVolumeClaim>(claim));
  }
  return out;
}

Finding not_in_dump(const explain::Question& question, std::string_view kind, std::string_view name) {
  return (explain::subject_path(question) / "name")
      .said(fmt::format("--cluster has no {} {}/{}", kind, question.meta.namespace_, name));
}

}  // namespace

Result<Dump> Dump::read(const DumpFiles& files) {
  Dump out;
  out.timeout_ = files.timeout;
  Problems problems;
  if (auto loaded = problems.value_of(read_config(files.config, {}, out.warnings_)))
    out.config_ = std::move(*loaded);
  const auto texts = read_files(files.cluster, problems);
  if (problems) return std::unexpected(problems.error());
  auto objects = objects_by_kind(texts, files.ns);
  if (!objects) return std::unexpected(objects.error());
  out.objects_ = std::move(*objects);

  auto manifests = api::read_manifests(texts, {.ns = files.ns}, out.warnings_);
  if (!manifests) return std::unexpected(manifests.error());
  add_doubts(*manifests, out.warnings_);
  count_disruptions(out.objects_, *manifests);
  api::Manifests::List<api::Pod> asked;
  auto snapshot = build_cluster(*manifests, asked, out.config_);
  if (!snapshot) return std::unexpected(snapshot.error());
  auto quotas = quotas_of(out.objects_, *manifests);
  if (!quotas) return std::unexpected(quotas.error());
  out.quotas_ = std::move(*quotas);
  out.manifests_ = std::move(*manifests);
  out.snapshot_ = std::move(*snapshot);
  for (const auto& [kind, objects] : out.objects_) {
    for (const auto& object : objects)
      out.by_name_.emplace(std::tuple(kind, api::text_at(object, "/metadata/namespace"),
                                      api::text_at(object, "/metadata/name")),
                           &object);
  }
  const auto rules = framework::request_rules(out.config_.features);
  for (const auto& pod : out.manifests_.pods) {
    if (pod->node_name.empty() && !pod->terminated())
      out.waiting_.push_back(cluster::make_pod_info(pod, rules));
  }
  return out;
}

const std::vector<json::value>& Dump::objects(std::string_view group, std::string_view kind) const {
  static const std::vector<json::value> kNone;
  const auto found = objects_.find(kind_key(group, kind));
  return found == objects_.end() ? kNone : found->second;
}

const json::value* Dump::find(std::string_view group, std::string_view kind, const std::string& ns,
                              const std::string& name) const {
  const auto found = by_name_.find(std::tuple(kind_key(group, kind), ns, name));
  return found == by_name_.end() ? nullptr : found->second;
}

Result<void> Dump::read_subject(explain::Question& question) const {
  const auto& [maker, name] = explain::referred(question);
  if (const auto* object = find(maker.group, maker.kind, question.meta.namespace_, name))
    return explain::read_subject_object(*object, question);
  return invalid(not_in_dump(question, maker.kind, name));
}

api::AdmissionObjects Dump::admission_of(const explain::Question& question) const {
  const auto& pod = question.subject->pod;
  api::AdmissionObjects out;
  if (api::pod_group_of(pod)) out.group_minimums = group_minimums();
  const auto placed = explain::placed_pods(question);
  for (const auto& each : manifests_.resource_claim_templates) {
    if (each->meta.namespace_ == pod.meta.namespace_) out.claim_templates.emplace(each->meta.name, *each);
  }
  if (const auto names = explain::claim_templates_of(placed);
      names && knows("ResourceClaimTemplate", manifests_.resource_claim_templates)) {
    for (const auto& name : *names)
      if (!out.claim_templates.contains(name)) out.no_claim_templates.insert(name);
  }
  if (knows("ResourceQuota", quotas_)) out.quotas.emplace();
  for (const auto& each : quotas_) {
    if (each.meta.namespace_ == pod.meta.namespace_) out.quotas->push_back(each);
  }
  // A stored pod was admitted, but its fixes are changes of a template, to which its class adds again.
  const bool has_new = std::ranges::any_of(placed, [](const auto& each) { return !each.subject->is_stored; });
  if (!has_new && !question.fixes) return out;
  if (has_new && knows("LimitRange", manifests_.limit_ranges)) out.limit_ranges.emplace();
  for (const auto& each : manifests_.limit_ranges) {
    if (has_new && each->meta.namespace_ == pod.meta.namespace_) out.limit_ranges->push_back(*each);
  }
  // A pod that names none has none, whatever the dump lacks.
  const bool knows_classes = knows("RuntimeClass", manifests_.runtime_classes);
  for (const auto& each : placed) {
    const auto& name = each.subject->pod.runtime_class;
    if (knows_classes || name.empty()) out.runtime_classes[name];
  }
  for (const auto& each : manifests_.runtime_classes) {
    if (const auto named = out.runtime_classes.find(each->meta.name); named != out.runtime_classes.end())
      named->second = *each;
  }
  return out;
}

Dump::Answer Dump::answer(api::ObjectMeta meta, const json::value& spec) const {
  auto question = explain::read_question(spec, std::move(meta), explain::kKept);
  if (!question) return Answer{explain::refusal(question.error()), {}};
  if (!question->subject) {
    if (auto subject = read_subject(*question); !subject)
      return Answer{explain::refusal(subject.error()), {}};
  }
  auto& clock = system_clock();
  const auto deadline = clock.now() + timeout_;
  const explain::Budget budget = [&] { return clock.now() < deadline; };
  if (question->search) return search(*question, budget);
  const api::Manifests::List<api::Pod> asked{std::make_shared<const api::Pod>(question->subject->pod)};
  std::optional<api::Manifests> with;
  const auto& known =
      question->changes.empty() ? manifests_ : with.emplace(with_added(manifests_, question->changes));
  const auto waits =
      explain::needs_waiting(*question, config_) ? waiting_ : std::vector<cluster::PodInfoPtr>();
  return Answer{explain::answer(*question, snapshot_, config_, budget, admission_of(*question), waits),
                missing_kinds(known, explain::asks_what_waits(*question) ? manifests_.pods : asked)};
}

api::PodGroupMinimums Dump::group_minimums() const {
  api::PodGroupMinimums out;
  for (const auto* group : {"scheduling.x-k8s.io", "scheduling.k8s.io"}) {
    for (const auto& object : objects(group, "PodGroup")) {
      const auto minimum = api::pod_group_minimum(object).value_or(0);
      if (minimum == 0) continue;
      out[{std::string(api::text_at(object, "/metadata/namespace")),
           std::string(api::text_at(object, "/metadata/name"))}] = minimum;
    }
  }
  return out;
}

explain::ConfigComparison Dump::compare(const config::Config& old_config,
                                        const config::Config& new_config) const {
  auto& clock = system_clock();
  const auto deadline = clock.now() + timeout_;
  return explain::compare_configs(
      old_config, new_config, waiting_, [&] { return clock.now() < deadline; }, snapshot_);
}

Dump::Answer Dump::search(const explain::Question& question, const explain::Budget& budget) const {
  auto& clock = system_clock();
  const auto end = clock.cpu_time() + kSearchTime;
  const explain::Budget both = [&] { return clock.cpu_time() < end && budget(); };
  api::AdmissionObjects read;
  read.group_minimums = group_minimums();
  return {explain::answer(question, snapshot_, config_, both, read, waiting_),
          missing_kinds(manifests_, manifests_.pods)};
}

}  // namespace podium::offline
