#include "explain/question/question.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/serialize.hpp>

#include "api/text/parse_json.h"
#include "api/validate/validate.h"
#include "explain/report/ttl.h"

namespace podium::explain {
namespace {

namespace json = boost::json;

// A name becomes part of a path to the API server.
std::string name_in(ObjectReader& reader, Problems& problems) {
  auto name = reader.required("name");
  if (name.empty()) return name;
  if (!api::is_dns_subdomain(name))
    problems.add(reader.path("name"), fmt::format("{:?} is not a valid name", name));
  return name;
}

void read_pod_reference(const json::value& value, Question& question, Problems& problems) {
  ObjectReader reader(value, question.paths.spec / "podRef", problems);
  question.about = Question::About::pod;
  question.pod_name = name_in(reader, problems);
  question.pod_uid = reader.text("uid");
  reader.unknown_fields();
}

void read_workload_reference(const json::value& value, Question& question, Problems& problems) {
  ObjectReader reader(value, question.paths.spec / "workloadRef", problems);
  question.about = Question::About::workload;
  const auto kind = reader.required("kind");
  if (const auto known = workload_kind(kind)) {
    question.workload_kind = *known;
  } else if (!kind.empty()) {
    problems.add(
        reader.path("kind"),
        fmt::format("unknown kind \"{}\" (known: Deployment, StatefulSet, ReplicaSet, Job, DaemonSet)",
                    kind));
  }
  question.workload_name = name_in(reader, problems);
  reader.unknown_fields();
}

// No pod is asked about. An empty one that counts as stored makes its readers look for nothing.
void read_search_of(const json::value& value, Question& question, Problems& problems) {
  question.search = read_search(value, question.paths.spec / "search", problems);
  auto& subject = question.subject.emplace();
  subject.is_stored = true;
  subject.pod.meta.namespace_ = question.meta.namespace_;
}

void read_about(ObjectReader& spec, Question& question, Problems& problems) {
  const auto* pod_template = spec.value("template");
  const auto* pod_ref = spec.value("podRef");
  const auto* workload_ref = spec.value("workloadRef");
  const auto* search = spec.value("search");
  if ((pod_template != nullptr) + (pod_ref != nullptr) + (workload_ref != nullptr) + (search != nullptr) !=
      1) {
    return problems.add(question.paths.spec,
                        "a what-if needs exactly one of template, podRef, workloadRef and search");
  }
  if (search) return read_search_of(*search, question, problems);
  if (pod_ref) return read_pod_reference(*pod_ref, question, problems);
  if (workload_ref) return read_workload_reference(*workload_ref, question, problems);
  auto subject = read_template(*pod_template, question.paths.pod_template, question.meta);
  if (!subject) return problems.add_all(subject.error());
  question.subject = std::move(*subject);
}

void read_group(ObjectReader& spec, Question& question, Problems& problems) {
  if (const auto replicas = spec.integer("replicas", 1, kMostReplicas))
    question.replicas = static_cast<std::int32_t>(*replicas);
  question.topology_key = spec.text("topologyKey");
  if (!question.topology_key.empty())
    check_label_key(question.topology_key, spec.path("topologyKey"), problems);
  if (const auto least = spec.integer("minCount", 1, kMostReplicas)) {
    question.min_count = static_cast<std::int32_t>(*least);
    if (question.replicas && *question.replicas < question.min_count)
      problems.add(spec.path("minCount"),
                   fmt::format("must be at most {} ({})", spec.path("replicas").text(), *question.replicas));
  } else if (!question.topology_key.empty()) {
    problems.add(spec.path("topologyKey"),
                 fmt::format("needs {}: the size of the group", spec.path("minCount").text()));
  }
}

// An answer that expires before the next one would delete the what-if.
void read_refresh(ObjectReader& spec, Question& question, Problems& problems) {
  const auto every = spec.integer("refreshSeconds", 0, kMostRefresh).value_or(0);
  question.refresh = std::chrono::seconds(every);
  if (every == 0) return;
  if (every < kLeastRefresh)
    return problems.add(spec.path("refreshSeconds"), fmt::format("must be 0 or at least {}", kLeastRefresh));
  if (question.ttl < kKept && 2 * question.refresh > question.ttl) {
    problems.add(spec.path("refreshSeconds"),
                 fmt::format("must be at most half of the time that the answer is kept (spec.ttlSeconds; {} "
                             "seconds here)",
                             question.ttl.count()));
  }
}

void read_spec(const json::value& value, std::chrono::seconds default_ttl, Question& question,
               Problems& problems) {
  if (!value.is_object()) return problems.add(question.paths.spec, "required");
  ObjectReader spec(value, question.paths.spec, problems);
  read_about(spec, question, problems);
  read_group(spec, question, problems);
  question.strategies = read_weights(spec, problems);
  question.nodes = spec.texts("nodes", kMostNodesAsked);
  question.profile = spec.text("profile");
  question.scheduler_name = spec.text("schedulerName");
  spec.items("changes", kMostChanges, [&](const json::value& item, const FieldPath& path) {
    question.changes.push_back(read_change(item, path, question.meta.namespace_, problems));
  });
  question.fixes = spec.flag("fixes");
  question.room = spec.flag("room");
  if (question.search) {
    for (const auto* of_pods : {"replicas", "minCount", "topologyKey", "nodes", "strategies", "profile",
                                "changes", "fixes", "room"}) {
      if (spec.value(of_pods)) problems.add(spec.path(of_pods), "is not for a search");
    }
  }
  question.ttl = report_ttl(&value, default_ttl);
  read_refresh(spec, question, problems);
  for (const auto* read_elsewhere : {"dryRun", "ttlSeconds", "nonce"}) spec.value(read_elsewhere);
  spec.unknown_fields();
}

Result<void> check_size(const ReportText& report, const QuestionPaths& paths) {
  const auto too_deep = fmt::format("nested deeper than {} levels", kTemplateDepth);
  if (report.template_bytes > kTemplateBytes) return invalid(paths.pod_template.said("larger than 64 KiB"));
  if (report.template_depth > kTemplateDepth) return invalid(paths.pod_template.said(too_deep));
  if (report.search_bytes > kSearchBytes) return invalid((paths.spec / "search").said("larger than 256 KiB"));
  if (report.rest_bytes > kTemplateBytes)
    return invalid(paths.spec.said("larger than 64 KiB without its template"));
  if (report.rest_depth > kTemplateDepth) return invalid(paths.spec.said(too_deep));
  if (report.bytes > kObjectBytes) return invalid("metadata: the whole report is larger than 1 MiB");
  return {};
}

Result<Question> read_checked(const json::value& spec, api::ObjectMeta meta, std::chrono::seconds default_ttl,
                              const QuestionPaths& paths) {
  Question question;
  question.paths = paths;
  question.meta = std::move(meta);
  Problems problems;
  read_spec(spec, default_ttl, question, problems);
  if (problems) return std::unexpected(problems.error_in_line());
  return question;
}

Result<void> check_size_of_subject(std::size_t bytes, const Question& question) {
  if (bytes <= kObjectBytes) return {};
  return invalid((subject_path(question) / "name")
                     .said(fmt::format("the {} is larger than 1 MiB",
                                       question.about == Question::About::pod ? "pod" : "workload")));
}

Result<void> read_checked_subject(const json::value& object, Question& question) {
  const auto path = subject_path(question);
  auto subject = question.about == Question::About::pod
                     ? read_stored_pod(object, path)
                     : read_workload(object, question.workload_kind, path, question.meta);
  if (!subject) return std::unexpected(subject.error());
  if (!question.pod_uid.empty() && question.pod_uid != subject->pod.meta.uid)
    return invalid((path / "uid").said("pod " + question.pod_name + " has another UID"));
  question.subject = std::move(*subject);
  return {};
}

}  // namespace

FieldPath subject_path(const Question& question) {
  switch (question.about) {
    case Question::About::pod:
      return question.paths.spec / "podRef";
    case Question::About::workload:
      return question.paths.spec / "workloadRef";
    case Question::About::pod_template:
      break;
  }
  return question.paths.pod_template;
}

Referred referred(const Question& question) {
  const bool is_pod = question.about == Question::About::pod;
  return {maker_of(is_pod ? Subject::Kind::pod : question.workload_kind),
          is_pod ? question.pod_name : question.workload_name};
}

Finding not_found(const Question& question) {
  const auto& [maker, name] = referred(question);
  const bool is_pod = question.about == Question::About::pod;
  return (subject_path(question) / "name")
      .said(fmt::format("{} {} not found", is_pod ? "pod" : maker.kind, name));
}

FieldPath pod_path(const Question& question) {
  if (question.about != Question::About::pod_template) return subject_path(question) / "name";
  return pod_path(question.paths.pod_template, question.subject->kind);
}

bool asks_what_waits(const Question& question) {
  return question.search ||
         std::ranges::any_of(question.changes, [](const Change& change) { return is_drain(change.type); });
}

bool asks_for_room(const Question& question) {
  return !question.search && (question.room || question.replicas.value_or(1) > 1);
}

std::vector<PlacedPods> placed_pods(const Question& question) {
  std::vector<PlacedPods> out;
  if (question.search) return out;
  if (question.subject) out.push_back({&*question.subject, pod_path(question)});
  for (std::size_t i = 0; i < question.changes.size(); ++i) {
    const auto& added = question.changes[i].workload;
    if (added)
      out.push_back({&*added, pod_path((question.paths.spec / "changes")[i] / "template", added->kind)});
  }
  return out;
}

Result<std::set<std::string>> claim_templates_of(const std::vector<PlacedPods>& pods) {
  std::set<std::string> names;
  for (const auto& [subject, path] : pods) {
    const auto& claims = subject->pod.resource_claims;
    for (std::size_t i = 0; i < claims.size(); ++i) {
      const auto& name = claims[i].template_name;
      if (!name || names.contains(*name)) continue;
      if (names.size() == kMostClaimTemplates) {
        return invalid(((path / "spec.resourceClaims")[i] / "resourceClaimTemplateName")
                           .said(fmt::format("\"{}\" is one too many: the pods of a what-if may use {} "
                                             "ResourceClaimTemplates at most",
                                             *name, kMostClaimTemplates)));
      }
      names.insert(*name);
    }
  }
  return names;
}

Result<Question> read_question(const json::value& spec, api::ObjectMeta meta,
                               std::chrono::seconds default_ttl, const QuestionPaths& paths) {
  if (auto size = check_size(scan_spec(json::serialize(spec)), paths); !size)
    return std::unexpected(size.error());
  return read_checked(spec, std::move(meta), default_ttl, paths);
}

Result<Question> read_question(const ReportText& report, std::chrono::seconds default_ttl) {
  const QuestionPaths paths;
  if (auto size = check_size(report, paths); !size) return std::unexpected(size.error());
  const auto spec = report.spec.empty() ? json::value() : api::parse_json(report.spec);
  if (!spec) return invalid(paths.spec.said(spec.error().message));
  api::ObjectMeta meta;
  meta.namespace_ = report.ns;
  meta.name = report.name;
  meta.uid = report.uid;
  meta.generation = report.generation;
  return read_checked(*spec, std::move(meta), default_ttl, paths);
}

Result<void> read_subject(std::string_view json, Question& question) {
  if (auto size = check_size_of_subject(json.size(), question); !size) return size;
  const auto live = api::parse_json(json);
  if (!live) return invalid(subject_path(question).said(live.error().message));
  return read_checked_subject(*live, question);
}

Result<void> read_subject_object(const json::value& object, Question& question) {
  if (auto size = check_size_of_subject(json::serialize(object).size(), question); !size) return size;
  return read_checked_subject(object, question);
}

}  // namespace podium::explain
