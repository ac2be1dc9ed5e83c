#include "app/kubectl/ask_workloads.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <iostream>
#include <map>
#include <set>
#include <utility>

#include "api/admission/admission.h"
#include "api/decode/pod_makers.h"
#include "api/text/json_view.h"
#include "app/kubectl/applied.h"
#include "app/kubectl/ask.h"
#include "app/kubectl/command_output.h"
#include "app/kubectl/file_context.h"
#include "app/kubectl/file_places.h"
#include "app/kubectl/file_question.h"
#include "app/kubectl/manifest.h"
#include "app/kubectl/reports.h"
#include "app/offline/files.h"
#include "app/render/exit_codes.h"
#include "app/render/fixes.h"
#include "app/render/question.h"
#include "app/render/text.h"
#include "app/render/together.h"
#include "app/render/values.h"
#include "app/render/what_if.h"
#include "base/counted.h"
#include "explain/question/question_limits.h"
#include "explain/workload/daemon_set_pods.h"
#include "explain/workload/fractional_bytes.h"
#include "explain/workload/made_by.h"
#include "explain/workload/scale.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;

constexpr int kExitRefused = render::kNoneFit;  // the API server would not create it
// All changes of a question's spec have at most 64 KiB together.
constexpr std::size_t kBytesBefore = 48 * 1024;

// The subject of one question.
struct Subject {
  std::string ns, name;
  std::string field;  // of the spec: template, podRef or workloadRef
  json::value value;
  std::string kind = {};  // of the manifest or the workload
  bool is_one_of_several = false;
  const FileObject* object = nullptr;  // null: not of a file
};

std::string about_suspended(const json::value& workload) {
  return fmt::format("It {}: this is the answer for its pods once it is resumed.\n",
                     explain::suspended_words(workload));
}

std::string about_one(const json::value& workload) {
  return fmt::format("It {}: this is the answer for one.\n", explain::no_replicas_words(workload));
}

// Runs commands on one cluster.
class Asking {
 public:
  Asking(const CLI::App& command, const WhatIfFlags& flags, Cluster& cluster)
      : command_(command), flags_(flags), cluster_(cluster), applied_(cluster), quotas_(cluster) {}

  int run(const std::vector<Target>& targets) {
    for (const auto& target : targets) {
      if (is_over()) break;
      about_target(resolved(cluster_, target));
    }
    if (read_files()) about_files();
    const auto& output = flags_.shared->output;
    if (!answers_.empty()) {
      say(render::together(answers_, render_options(output, program_of(command_))));
      if (before_.size() > 1) say("Workloads of different namespaces are evaluated separately.\n");
      say("Nothing was created. Ask about each alone: --each. See all details: -o wide\n");
    }
    if (output.is_for_people() || documents_.empty()) return code_;
    const auto printed = print(answered(command_, output, as_list(std::move(documents_)), names_,
                                        [&] { return std::move(words_); }));
    return printed ? printed : code_;
  }

 private:
  void fail(const Error& error, int code = 0) {
    const auto by_kind = fail_with(command_, error);
    add_code(code ? code : by_kind);
  }
  // Answers for people are printed as they come.
  void say(const std::string& words) {
    if (flags_.shared->output.is_for_people())
      std::cout << words;
    else
      words_ += words;
  }
  // A failure takes precedence over wrong input, and both over an answer. Different answers together mean
  // that some fit.
  void add_code(int code) {
    const auto either = [&](int which) { return code == which || code_ == which; };
    if (either(render::kNoAnswer))
      code_ = render::kNoAnswer;
    else if (either(render::kWrongInput))
      code_ = render::kWrongInput;
    else
      code_ = is_first_ || code == code_ ? code : render::kSomeFit;
    is_first_ = false;
  }

  // A wrong flag is wrong in every question.
  bool is_over() const { return are_flags_wrong_ || cluster_.interrupted(); }

  void about_target(const Target& target) {
    const auto& [maker, name, ns, has_type] = target;
    if (maker->kind == "Pod") return about_pod(target);
    if (!is_counted(*maker, name)) return;
    auto object = cluster_.get(resource_of(*maker), ns, name);
    if (!object) {
      fail(without_object(object.error(), ns, target));
      if (client::object_is_gone(object.error())) std::cerr << did_you_mean(cluster_, ns, target);
      return;
    }
    object->as_object()["kind"] = maker->kind;
    object->as_object()["apiVersion"] = maker->api_version();
    const auto pod = admitted(*object, ns);
    if (!pod) return;
    // podium reads the other kinds itself.
    const bool is_answered =
        maker->kind == "CronJob" || maker->kind == "ReplicationController"
            ? answer({ns, name, "template", template_of(*object, *pod), std::string(maker->kind)})
            : answer({ns, name, "workloadRef", json::object{{"kind", maker->kind}, {"name", name}},
                      std::string(maker->kind)});
    if (!is_answered || flags_.question.replicas > 0) return;
    const bool has_none = explain::has_no_replicas(*object);
    const bool has_pods = api::integer_at(*object, "/status/replicas").value_or(0) > 0;
    if (explain::has_ended(*object))
      say("It has ended: this is the answer for one more pod.\n");
    else if (has_none)
      say(about_one(*object));
    else if (explain::is_suspended(*object, !has_pods))
      say(about_suspended(*object));
  }

  // Each node that it selects has one pod, so there is nothing to count.
  bool is_counted(const api::PodMaker& maker, const std::string& name) {
    if (!flags_.capacity || maker.kind != "DaemonSet") return true;
    fail(invalid(fmt::format("ds/{}: {}; whatif says where they fit", name, explain::kOnePodOnEachNode))
             .error());
    return false;
  }

  // podium reads the pod itself, so no right on it is needed.
  void about_pod(const Target& target) {
    const auto& [maker, name, ns, has_type] = target;
    const auto pod = cluster_.get(client::resource::pods, ns, name);
    if (pod || !client::object_is_gone(pod.error())) {
      answer({ns, name, "podRef", json::object{{"name", name}}});
      return;
    }
    fail(without_object(pod.error(), ns, target));
    std::cerr << did_you_mean(cluster_, ns, target);
  }

  // False: something is wrong in the files, and all of it has been said.
  bool read_files() {
    Problems problems;
    const auto texts = offline::read_files(flags_.files, problems);
    std::size_t subjects = 0;
    for (const auto& [source, text] : texts) {
      auto objects = problems.value_of(objects_of_file(text, source, cluster_.ns(), texts.size() > 1));
      if (!objects) continue;
      drop_copies(*objects, makers_, problems);
      for (const auto& question : objects->questions)
        problems.check(check_question(question, flags_.question, flags_.capacity));
      subjects += objects->makers.size() + objects->questions.size();
      files_.push_back({source, std::move(*objects)});
    }
    explain::FileWorkloads workloads(cluster_.ns());
    for (const auto& file : files_) workloads.add(file.objects.makers);
    for (auto& file : files_) {
      if (auto made = workloads.drop_made(file.objects.makers); !made.empty())
        file.objects.not_asked.push_back(std::move(made));
    }
    if (!problems && !texts.empty() && subjects == 0)
      problems.add(fmt::format("the {} files contain {}", texts.size(), api::kNoPodMaker));
    if (problems) fail(problems.error());
    return !problems;
  }

  void about_files() {
    for (const auto& file : files_) applied_.add(file.objects.others);
    for (const auto& [name, objects] : files_) {
      for (const auto& warning : context_.add(cluster_, objects.others))
        std::cerr << "warning: " << render::printable(warning) << '\n';
      if (!objects.not_asked.empty())
        std::cerr << render::printable(
                         fmt::format("Skipped: {} of {}.", fmt::join(objects.not_asked, ", "), name))
                  << '\n';
    }
    const auto all = makers_of_files();
    // Objects are created in the order of the files, and their pods are placed in another.
    if (all.size() > 1 && !flags_.each) {
      for (const auto* object : all) refused_[object] = quotas_.take(*object, namespace_of(*object));
    }
    const auto makers = all.size() < 2 ? all : in_placing_order(all, cluster_.ns(), applied_.admission());
    for (const auto* object : makers) {
      for (const auto& warning : explain::fractional_bytes(*object))
        std::cerr << "warning: " << render::printable(warning) << '\n';
    }
    for (const auto* object : makers) {
      if (is_over()) return;
      about_object(*object, makers.size() > 1);
    }
    for (const auto& file : files_) {
      for (const auto& question : file.objects.questions) about_question(question);
    }
  }

  void about_question(const FileObject& question) {
    const auto ns = namespace_of(question);
    if (is_over() || !check_namespace(question)) return;
    auto asked = ask_question(cluster_, question, ns, flags_.keep);
    if (!asked) return fail(asked.error());
    const auto report = render::read_report(*asked);
    const auto name = render::printable(ns + "/" + subject_of_question(question));
    const auto& output = flags_.shared->output;
    if (output.has_words())
      say(render::question(report, name, render_options(output, program_of(command_))) + kept(report, ns));
    add_document(std::move(*asked));
    add_code(render::question_exit_code(report));
  }

  std::vector<const FileObject*> makers_of_files() const {
    std::vector<const FileObject*> makers;
    for (const auto& file : files_) {
      for (const auto& maker : file.objects.makers) makers.push_back(&maker);
    }
    return makers;
  }

  // A question is an object of its namespace.
  std::string without_namespace(const Error& error, const std::string& ns) const {
    if (!client::object_is_gone(error) || !applied_.creates_namespace(ns)) return {};
    return fmt::format("; the files create namespace {}: apply that first, or ask on a dump with --cluster",
                       ns);
  }

  std::string namespace_of(const FileObject& object) const {
    auto given = api::text_at(object.value, "/metadata/namespace");
    return given.empty() ? cluster_.ns() : given;
  }

  // False: the object is in another namespace than -n.
  bool check_namespace(const FileObject& object) {
    const auto given = namespace_of(object);
    const auto& of_flag = flags_.shared->connection.ns;
    if (of_flag.empty() || given == of_flag) return true;
    fail(invalid(fmt::format("{}: metadata.namespace: is {}, and -n is {}",
                             object.place("metadata.namespace"), given, of_flag))
             .error());
    return false;
  }

  // `is_one_of_several`: of the objects of the files.
  void about_object(const FileObject& of_file, bool is_one_of_several) {
    auto object = of_file.value;
    const auto ns = namespace_of(of_file);
    if (!check_namespace(of_file)) return;
    if (!is_counted(*of_file.maker, api::text_at(object, "/metadata/name"))) return;
    if (seen_namespaces_.insert(ns).second && applied_.lacks_namespace(ns))
      std::cerr << fmt::format("warning: --cluster has no namespace {}: it must be created first\n",
                               render::printable(ns));
    if (is_stored(object, ns)) {
      const auto name = api::text_at(object, "/metadata/name");
      answer({ns, name, "podRef", json::object{{"name", name}}});
      return;
    }
    bool is_new = true;
    if (api::text_at(object, "/kind") != "Pod") {
      auto checked = cluster_.dry_run(ns, object);
      if (!checked) {
        checked.error().message =
            with_places(checked.error(), of_file) + without_namespace(checked.error(), ns);
        return fail(checked.error(), client::is_forbidden(checked.error()) ? kExitRefused : 0);
      }
      is_new = !*checked;
    }
    if (const auto why = refused_.find(&of_file); why != refused_.end() && !why->second.empty()) {
      return fail(
          {.kind = Error::Kind::status,
           .message = refusal(of_file.maker->kind, api::text_at(object, "/metadata/name"), why->second)},
          kExitRefused);
    }
    const bool are_given = flags_.question.replicas > 0 || flags_.capacity;
    const auto about_replicas = are_given ? std::string() : applied_.set_replicas(object, ns, is_new);
    const auto pod = admitted(object, ns, &of_file);
    if (!pod) return;
    auto name = api::text_at(object, "/metadata/name");
    if (name.empty()) name = api::text_at(object, "/metadata/generateName");
    const bool is_together = is_one_of_several && !flags_.each;
    const bool has_none = flags_.question.replicas == 0 && explain::has_no_replicas(object);
    const bool suspended = flags_.question.replicas == 0 && explain::is_suspended(object, is_new);
    const bool ended = flags_.question.replicas == 0 && !is_new && applied_.has_ended(object, ns);
    if ((has_none || suspended || ended) && is_together) {
      std::cerr << fmt::format("Skipped: {} {}/{}, which {}.\n", of_file.maker->kind, render::printable(ns),
                               render::printable(name),
                               has_none ? explain::no_replicas_words(object)
                               : ended  ? "has ended"
                                        : explain::suspended_words(object));
      return;
    }
    if (!about_replicas.empty() && is_together)
      std::cerr << render::printable_lines(
          fmt::format("{} {}/{}: {}", of_file.maker->kind, ns, name, about_replicas));
    auto asked = template_of(object, *pod);
    const bool is_created = answer(
        {ns, std::move(name), "template", asked, api::text_at(object, "/kind"), is_one_of_several, &of_file});
    if (has_none) say(about_one(object));
    if (suspended) say(about_suspended(object));
    if (ended) say("The Job exists and has ended: this is the answer for a new one.\n");
    if (!about_replicas.empty() && !is_together) say(about_replicas);
    if (is_created && is_together) place_before_next(ns, std::move(asked), of_file);
  }

  // The workloads after this one are evaluated as if this one were placed.
  void place_before_next(const std::string& ns, json::value pod_template, const FileObject& object) {
    auto change = pods_before(std::move(pod_template), flags_.question.replicas);
    const auto bytes = json::serialize(change).size();
    QuestionSource unused;
    auto others = context_.changes(ns, unused);
    if (const auto spec = question_spec(flags_.question)) {
      if (const auto* of_flags = spec->if_contains("changes"))
        others.insert(others.end(), of_flags->as_array().begin(), of_flags->as_array().end());
    }
    const bool has_room = before_[ns].size() + others.size() < explain::kMostChanges &&
                          bytes_before_ + bytes + json::serialize(others).size() <= kBytesBefore;
    if (has_room) {
      bytes_before_ += bytes;
      before_[ns].push_back(std::move(change));
      placed_before_[ns].push_back(&object);
    } else if (!std::exchange(is_cut_, true)) {
      std::cerr << "The files exceed the limit of one question: later workloads are evaluated with only the "
                   "first "
                << before_[ns].size() << " in place.\n";
    }
  }

  // The changes for the question's pods: the files' other objects, and the workloads before it.
  QuestionSource add_before(const Subject& subject, json::object& spec) {
    QuestionSource source{.subject = subject.object};
    json::array changes;
    if (auto* others = spec.if_contains("changes")) changes = others->as_array();
    source.changes.resize(changes.size());
    for (auto& change : context_.changes(subject.ns, source)) changes.push_back(std::move(change));
    for (const auto& change : before_[subject.ns]) changes.push_back(change);
    for (const auto* object : placed_before_[subject.ns]) source.changes.push_back({object});
    if (!changes.empty()) spec["changes"] = std::move(changes);
    return source;
  }

  // Whether the file has a pod that the API server stores: as `kubectl get pod -o yaml` prints it, or as it
  // was applied. It is evaluated as if it were not placed: as a new pod, it would compete with itself.
  bool is_stored(const json::value& object, const std::string& ns) {
    const auto name = api::text_at(object, "/metadata/name");
    if (api::text_at(object, "/kind") != "Pod" || name.empty()) return false;
    const auto found = cluster_.get(client::resource::pods, ns, name);
    if (!found) return false;
    const auto uid = api::text_at(object, "/metadata/uid");
    return uid.empty() ? is_unchanged(object, *found) : api::text_at(*found, "/metadata/uid") == uid;
  }

  // The pod that the object creates, as the API server would store it.
  std::optional<json::value> admitted(const json::value& object, const std::string& ns,
                                      const FileObject* of_file = nullptr) {
    auto pod = pod_of(object, ns);
    if (!pod) {
      fail(pod.error());
      return std::nullopt;
    }
    const auto hidden = context_.hide(*pod);
    auto admission = cluster_.dry_run_pod(ns, *pod);
    if (admission.pod) {
      FileContext::restore(hidden, *admission.pod);
      return std::move(*admission.pod);
    }
    auto& error = admission.pod.error();
    // The paths of a workload's pod are not those of the workload.
    if (of_file && of_file->maker->kind == "Pod")
      error.message = with_places(error, *of_file) + without_namespace(error, ns);
    fail(error, admission.refused ? kExitRefused : 0);
    return std::nullopt;
  }

  // False: there is no answer about its pods, since they would not be created.
  bool answer(Subject subject) {
    const auto failed = [this](const Error& error) {
      fail(error);
      return false;
    };
    auto spec = question_spec(flags_.question);
    if (!spec) return failed(spec.error());
    if (const auto* changes = spec->if_contains("changes")) changes_of_flags_ = changes->as_array().size();
    (*spec)[subject.field] = std::move(subject.value);
    if (asks_for_room(subject)) (*spec)["room"] = true;
    const auto source = add_before(subject, *spec);
    auto asked_podium = cluster_.ask(subject.ns, *spec, flags_.keep);
    if (!asked_podium) return failed(asked_podium.error());
    const auto report = render::read_report(with_places(*asked_podium, source));
    const auto* refusal = explain::refusal_of(report);
    if (refusal) {
      if (const auto error = flags_error(report.status.findings, changes_of_flags_)) {
        are_flags_wrong_ = true;
        return failed(*error);
      }
    }
    if (flags_.shared->output.has_words()) say_words(subject, report);
    add_document(std::move(*asked_podium));
    const auto code = render::exit_code(report);
    add_code(flags_.capacity && code == render::kSomeFit ? 0 : code);
    return !refusal;
  }

  void say_words(const Subject& subject, const render::Report& report) {
    const auto& output = flags_.shared->output;
    const auto name = render::printable(subject.ns + "/" + subject.name);
    if (subject.is_one_of_several && !flags_.each && output.format != "wide") {
      answers_.push_back({name, report});
      return;
    }
    const auto options = render_options(output, program_of(command_));
    say(flags_.capacity ? render::capacity(report, name, options)
                        : render::what_if(report, name, options, other_options(flags_.question, report)));
    if (flags_.question.fixes) say(render::why_no_fixes(report));
    if (report.status.answer && report.status.answer->ignored > 0) {
      const auto ignored = report.status.answer->ignored;
      say(fmt::format("{} of {} {} ignored.\n", counted(ignored, "existing pod"), name,
                      ignored == 1 ? "was" : "were"));
    }
    say(kept(report, subject.ns));
  }

  std::string kept(const render::Report& report, const std::string& ns) const {
    return flags_.keep ? fmt::format("Kept: kubectl get sr {} -n {}\n", report.name, ns) : "";
  }

  // For programs.
  void add_document(json::value asked) {
    if (flags_.shared->output.is_for_people()) return;
    names_.push_back(report_name(asked));
    documents_.push_back(std::move(asked));
  }

  // A question about one pod should not take the time of thousands of replicas.
  bool asks_for_room(const Subject& subject) const {
    const bool is_one = (subject.kind == "Pod" || subject.kind.empty()) && flags_.question.replicas < 2;
    return !flags_.capacity && !is_one && subject.kind != "DaemonSet";
  }

  const CLI::App& command_;
  const WhatIfFlags& flags_;
  Cluster& cluster_;
  Applied applied_;
  ObjectQuotas quotas_;
  struct File {
    std::string name;
    FileObjects objects;
  };
  std::vector<File> files_;
  KnownMakers makers_;                         // of the files
  FileContext context_;                        // of the files, whose objects it points to
  std::map<std::string, json::array> before_;  // by namespace: the changes that place the previous workloads
  std::map<std::string, std::vector<const FileObject*>> placed_before_;  // those workloads
  std::map<const FileObject*, std::string> refused_;  // why a quota refuses the object; empty: none does
  std::set<std::string> seen_namespaces_;
  std::size_t bytes_before_ = 0;
  bool is_cut_ = false;
  std::size_t changes_of_flags_ = 0;  // the first ones of a question
  bool are_flags_wrong_ = false;
  std::vector<render::Together> answers_;
  std::vector<json::value> documents_;  // for programs, and their names
  std::vector<std::string> names_;
  std::string words_;  // with "answer"
  int code_ = 0;
  bool is_first_ = true;  // no answer or failure yet
};

}  // namespace

int ask_workloads(const CLI::App& command, const WhatIfFlags& flags, Cluster& cluster,
                  const std::vector<Target>& targets) {
  return Asking(command, flags, cluster).run(targets);
}

}  // namespace podium::kubectl
