// Reads the spec of a what-if (a SchedulingReport with dryRun: true) into a Question.
//
// Sizes are checked before anything is decoded: a template has at most kTemplateBytes, a pod or workload of
// the cluster kObjectBytes. answer/fork_memory.h bounds the memory of its replicas.
//
// Threads: pure functions. Errors: Kind::invalid; the message has every finding as "path: reason", joined by
// "; ".
#pragma once

#include <boost/json/value.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/values/meta.h"
#include "base/result.h"
#include "explain/question/change.h"
#include "explain/question/question_limits.h"
#include "explain/question/report_text.h"
#include "explain/question/search_spec.h"
#include "explain/workload/workload.h"

namespace podium::explain {

// What the asker calls the parts of the question.
struct QuestionPaths {
  FieldPath spec = "spec";  // of the fields next to the template
  FieldPath pod_template = "spec.template";
};

using Namespaces = std::set<std::string, std::less<>>;

struct Question {
  enum class About : std::uint8_t { pod_template, pod, workload };

  api::ObjectMeta meta;  // of the report: namespace, name, UID and generation
  About about = About::pod_template;
  QuestionPaths paths{};
  std::string pod_name, pod_uid;                     // podRef; no UID: any pod of that name
  Subject::Kind workload_kind = Subject::Kind::pod;  // workloadRef
  std::string workload_name;
  std::optional<SearchSpec> search;  // a question about nodes: the subject is then a pod that is not placed
  std::optional<Subject> subject;    // missing until read_subject() if `about` is a reference
  std::optional<std::int32_t> replicas;  // nullopt: as many as the subject has
  std::int32_t min_count = 0;            // 0: none
  std::string topology_key;
  std::vector<std::string> nodes;
  std::vector<StrategyWeight> strategies;
  std::string profile, scheduler_name;
  std::vector<Change> changes;
  bool fixes = false;
  bool room = false;                  // how many more fit, up to kMostReplicas in all
  bool withholds_node_names = false;  // the asker may not know the names; not a field of the spec
  // Namespaces besides its own whose pods the answer may name; not a field of the spec.
  Namespaces seen_namespaces = {};
  std::chrono::seconds ttl{0};      // kKept: as long as the report exists
  std::chrono::seconds refresh{0};  // 0: answered once
};

// The path of what the question is about: "spec.template", "spec.podRef" or "spec.workloadRef".
FieldPath subject_path(const Question& question);
// The path of the pod's own fields; of a reference its name.
FieldPath pod_path(const Question& question);

// The answer depends on the pods that wait: a search for nodes, and drains, whose nodes they may take.
bool asks_what_waits(const Question& question);
// Whether the question asks for room: for several replicas, or for how many more fit. The pods that wait
// compete for it.
bool asks_for_room(const Question& question);

// The pods that the question places: its own, and those of its changes. All of them have what the API server
// and the controllers would add to them.
struct PlacedPods {
  const Subject* subject;
  FieldPath path;  // of the pod's own fields
};
std::vector<PlacedPods> placed_pods(const Question& question);

// The templates of the ResourceClaims that all these pods name. Invalid if there are more than
// kMostClaimTemplates: each is a read of the API server.
inline constexpr std::size_t kMostClaimTemplates = 32;
Result<std::set<std::string>> claim_templates_of(const std::vector<PlacedPods>& pods);

// The kind and the name of spec.podRef or spec.workloadRef.
struct Referred {
  const api::PodMaker& maker;
  const std::string& name;
};
Referred referred(const Question& question);
// "spec.podRef.name: pod web not found".
Finding not_found(const Question& question);

// Reads spec. If it is a reference, read_subject() adds the subject. `meta`: the report's namespace, name,
// UID and generation.
Result<Question> read_question(const boost::json::value& spec, api::ObjectMeta meta,
                               std::chrono::seconds default_ttl, const QuestionPaths& paths = {});
Result<Question> read_question(const ReportText& report, std::chrono::seconds default_ttl);
// Adds the subject of spec.podRef or spec.workloadRef, from its JSON text as the API server returned it.
Result<void> read_subject(std::string_view json, Question& question);
// The same from an object that is decoded.
Result<void> read_subject_object(const boost::json::value& object, Question& question);

}  // namespace podium::explain
