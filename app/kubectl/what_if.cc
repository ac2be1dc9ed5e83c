// `podium whatif` and `podium capacity`: where would it go, and how many more fit?
#include "app/render/what_if.h"
#include "api/json_view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <iostream>
#include <map>
#include <memory>

#include "api/yaml.h"
#include "app/kubectl/ask.h"
#include "app/kubectl/cluster.h"
#include "app/kubectl/commands.h"
#include "app/kubectl/manifest.h"
#include "app/kubectl/question.h"
#include "app/render/together.h"
#include "base/input.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;

constexpr int kRefused = 4;  // by the API server: it would not run

struct WhatIfFlags {
  Connection connection;
  Output output;
  QuestionFlags question;
  std::vector<std::string> files;
  std::string target;
  bool keep = false, capacity = false;
  bool each = false;  // each workload as if it were alone
};

// The changes of a question's spec have 64 KiB in all.
constexpr std::size_t kMostBefore = 32, kBytesBefore = 48 * 1024;

// What one question is about.
struct Subject {
  std::string ns, name;
  std::string field;  // of the spec: template, podRef or workloadRef
  json::value value;
  bool replaces = false;  // a workload that exists: its own pods are part of the question
  std::string kind = {};  // of the manifest or the workload
  bool is_one_of_several = false;
};

// Runs commands on one cluster; `code` is the worst so far.
class Asking {
 public:
  Asking(const CLI::App& command, const WhatIfFlags& flags, Cluster& cluster)
      : command_(command), flags_(flags), cluster_(cluster) {}

  int run() {
    if (!flags_.target.empty()) {
      about_target();
    } else {
      for (const auto& file : flags_.files) about_file(file);
      if (answers_.size() > 1)
        std::cout << render::together(answers_, render_options(flags_.output, program_of(command_)))
                  << (before_.size() > 1 ? "Workloads of different namespaces are asked without each other.\n"
                                         : "")
                  << "Nothing was created. Each alone: --each. In full: -o wide\n";
    }
    return code_;
  }

 private:
  void fail(const Error& error, int code = 0) {
    const auto by_kind = fail_with(command_, error);
    worse(code ? code : by_kind);
  }
  // A failure tells more than an answer; of answers, the worst.
  void worse(int code) {
    const auto rank = [](int c) { return c == 1 ? 9 : c == 2 ? 8 : c; };
    if (rank(code) > rank(code_)) code_ = code;
  }

  void about_target() {
    const auto target = parse_target(flags_.target);
    if (!target) return fail(target.error());
    const auto& ns = cluster_.ns();
    if (target->maker->kind == "Pod") {
      return answer({ns, target->name, "podRef", json::object{{"name", target->name}}});
    }
    auto object = cluster_.get(resource_of(*target->maker), ns, target->name);
    if (!object) return fail(object.error());
    object->as_object()["kind"] = target->maker->kind;
    object->as_object()["apiVersion"] = target->maker->api_version();
    const auto pod = admitted(*object, ns);
    if (!pod) return;
    // podium reads the other kinds itself.
    if (target->maker->kind == "CronJob" || target->maker->kind == "ReplicationController") {
      return answer(
          {ns, target->name, "template", template_of(*object, *pod), true, std::string(target->maker->kind)});
    }
    answer({ns, target->name, "workloadRef",
            json::object{{"kind", target->maker->kind}, {"name", target->name}}, true,
            std::string(target->maker->kind)});
  }

  void about_file(const std::string& file) {
    const auto text = read_input(file);
    if (!text) return fail(text.error());
    const auto objects = objects_of_file(*text, file);
    if (!objects) return fail(objects.error());
    if (!objects->not_asked.empty()) {
      std::cerr << "Not asked: " << fmt::format("{}", fmt::join(objects->not_asked, ", ")) << " of " << file
                << ".\n";
    }
    claims_.insert(claims_.end(), objects->claims.begin(), objects->claims.end());
    for (const auto& object : objects->makers) {
      if (cluster_.interrupted()) return;
      about_object(object, objects->makers.size() > 1 || flags_.files.size() > 1);
    }
  }

  // `is_one_of_several`: of the objects of the files.
  void about_object(const json::value& object, bool is_one_of_several) {
    const auto given = api::text_at(object, "/metadata/namespace");
    const auto& ns = given.empty() ? cluster_.ns() : given;
    if (!flags_.connection.ns.empty() && !given.empty() && given != flags_.connection.ns) {
      return fail(invalid(fmt::format("the namespace of {} is {}, not the {} of -n",
                                      api::text_at(object, "/metadata/name"), given, flags_.connection.ns))
                      .error());
    }
    if (!object.as_object().contains("metadata") || !object.at("metadata").is_object()) {
      return fail(invalid(api::text_at(object, "/kind") + ": metadata: missing").error());
    }
    if (is_stored(object, ns)) {
      const auto name = api::text_at(object, "/metadata/name");
      return answer({ns, name, "podRef", json::object{{"name", name}}});
    }
    bool exists = false;
    if (api::text_at(object, "/kind") != "Pod") {
      const auto checked = cluster_.dry_run(ns, object);
      if (!checked) return fail(checked.error(), checked.error().code == 403 ? kRefused : 0);
      exists = *checked;
    }
    const auto pod = admitted(object, ns);
    if (!pod) return;
    auto name = api::text_at(object, "/metadata/name");
    if (name.empty()) name = api::text_at(object, "/metadata/generateName");
    auto asked = template_of(object, *pod);
    answer(
        {ns, std::move(name), "template", asked, exists, api::text_at(object, "/kind"), is_one_of_several});
    if (is_one_of_several && !flags_.each) place_before_next(ns, std::move(asked));
  }

  // The workloads after this one are asked as if this one were there.
  void place_before_next(const std::string& ns, json::value pod_template) {
    auto change = pods_before(std::move(pod_template), flags_.question.replicas);
    const auto bytes = json::serialize(change).size();
    if (before_[ns].size() < kMostBefore && bytes_before_ + bytes <= kBytesBefore) {
      bytes_before_ += bytes;
      before_[ns].push_back(std::move(change));
    } else if (!std::exchange(is_cut_, true)) {
      std::cerr << "These files are too large for one question: the workloads that follow are asked without "
                   "those after the first "
                << before_[ns].size() << ".\n";
    }
  }

  // What comes with the question's pods: the files' claims, and the workloads before it.
  void add_before(const Subject& subject, json::object& spec) {
    auto changes = claims_before(claims_, subject.ns, cluster_.ns());
    for (const auto& change : before_[subject.ns]) changes.push_back(change);
    if (changes.empty()) return;
    if (auto* others = spec.if_contains("changes"))
      changes.insert(changes.begin(), others->as_array().begin(), others->as_array().end());
    spec["changes"] = std::move(changes);
  }

  // Whether the file has a pod as the API server stores it, such as `kubectl get pod -o yaml` prints it. It
  // is asked about as if it were not placed: as a new pod, it would be in its own way.
  bool is_stored(const json::value& object, const std::string& ns) {
    const auto uid = api::text_at(object, "/metadata/uid");
    if (api::text_at(object, "/kind") != "Pod" || uid.empty()) return false;
    const auto found = cluster_.get(client::resource::pods, ns, api::text_at(object, "/metadata/name"));
    return found && api::text_at(*found, "/metadata/uid") == uid;
  }

  // The pod that the object makes, as the API server would store it.
  std::optional<json::value> admitted(const json::value& object, const std::string& ns) {
    const auto pod = pod_of(object, ns);
    if (!pod) {
      fail(pod.error());
      return std::nullopt;
    }
    auto admission = cluster_.dry_run_pod(ns, *pod);
    if (admission.pod) return std::move(*admission.pod);
    fail(admission.pod.error(), admission.refused ? kRefused : 0);
    return std::nullopt;
  }

  void answer(Subject subject) {
    auto spec = question_spec(flags_.question);
    if (!spec) return fail(spec.error());
    (*spec)[subject.field] = std::move(subject.value);
    if (asks_for_room(subject)) (*spec)["room"] = true;
    add_before(subject, *spec);
    auto answered = cluster_.ask(subject.ns, *spec, flags_.keep);
    if (!answered) return fail(answered.error());
    const auto report = render::read_report(*answered);
    if (flags_.output.format == "json") {
      std::cout << api::to_json(*answered);
    } else if (flags_.output.format == "yaml") {
      std::cout << "---\n" << api::to_yaml(*answered);
    } else if (subject.is_one_of_several && !flags_.each && flags_.output.format == "table") {
      answers_.push_back({subject.ns + "/" + subject.name, report});
    } else {
      const auto options = render_options(flags_.output, program_of(command_));
      const auto name = subject.ns + "/" + subject.name;
      std::cout << (flags_.capacity
                        ? render::capacity(report, name, options)
                        : render::what_if(report, name, options, other_options(flags_.question, report)));
      if (subject.replaces) {
        std::cout << "Pods that " << name << " has now were asked about as if they were not placed.\n";
      }
      if (flags_.keep) std::cout << "Kept: kubectl get sr " << report.name << " -n " << subject.ns << "\n";
    }
    const auto code = render::exit_code(report);
    worse(flags_.capacity && code == 3 ? 0 : code);
  }

  // Who asks about one pod does not ask for the time that thousands take.
  bool asks_for_room(const Subject& subject) const {
    const bool is_one = (subject.kind == "Pod" || subject.kind.empty()) && flags_.question.replicas < 2;
    return !flags_.capacity && !is_one && subject.kind != "DaemonSet";
  }

  const CLI::App& command_;
  const WhatIfFlags& flags_;
  Cluster& cluster_;
  std::vector<json::value> claims_;            // of the files
  std::map<std::string, json::array> before_;  // by namespace: changes that place the workloads so far
  std::size_t bytes_before_ = 0;
  bool is_cut_ = false;
  std::vector<render::Together> answers_;
  int code_ = 0;
};

int run_what_if(const CLI::App& command, const WhatIfFlags& flags) {
  if (flags.files.empty() == flags.target.empty()) {
    return fail_with(command, invalid("needs either -f FILE or TYPE/NAME, such as deploy/web").error());
  }
  if (const auto spec = question_spec(flags.question); !spec) return fail_with(command, spec.error());
  auto cluster = open_cluster(flags.connection);
  if (!cluster) return fail_with(command, cluster.error());
  return Asking(command, flags, **cluster).run();
}

void add_common(CLI::App& command, WhatIfFlags& flags) {
  command.add_option("TYPE/NAME", flags.target, "a workload or a pod of the cluster: deploy/web, pod/web-0");
  command.add_option("-f,--filename", flags.files, "manifests, whole ones too; - for standard input")
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->take_all();
  command
      .add_option("--weights", flags.question.weights,
                  "other weights of strategies: NodeResourcesFit=5; 0 is off")
      ->type_name("S=W,...")
      ->allow_extra_args(false)
      ->take_all();
  command.add_option("--drain", flags.question.drain, "as if this node were drained first")
      ->type_name("NODE")
      ->allow_extra_args(false)
      ->take_all();
  command
      .add_option("--add-nodes", flags.question.add_nodes,
                  "as if there were this many more nodes, with --like")
      ->type_name("N");
  command.add_option("--like", flags.question.like, "the node that the new ones are copies of")
      ->type_name("NODE");
  command.add_option("--profile", flags.question.profile, "the profile of podium's configuration")
      ->type_name("NAME");
  command.add_flag("--fixes", flags.question.fixes, "what would let it run, each fix tried");
  command.add_flag("--keep", flags.keep, "keep the question with its answer as a SchedulingReport");
  add_connection(command, flags.connection);
  add_dump_files(command, flags.connection);
  add_output(command, flags.output);
}

}  // namespace

void add_what_if(CLI::App& app, int& exit_code) {
  auto* command =
      app.add_subcommand("whatif", "Where would these pods go? Nothing is created but the question");
  const auto flags = std::make_shared<WhatIfFlags>();
  add_common(*command, *flags);
  command->add_flag("--each", flags->each,
                    "ask about each workload of the files alone (default: one after the other, together)");
  command->add_option("--replicas", flags->question.replicas, "how many (default: as the workload has)")
      ->type_name("N")
      ->check(CLI::Range(1, kMaxReplicas));
  command->callback([command, flags, &exit_code] { exit_code = run_what_if(*command, *flags); });

  auto* capacity = app.add_subcommand("capacity", "How many more of these pods fit?");
  const auto room = std::make_shared<WhatIfFlags>();
  room->capacity = true;
  room->question.replicas = kMaxReplicas;
  add_common(*capacity, *room);
  capacity->add_option("--up-to", room->question.replicas, "how many to try")
      ->type_name("N")
      ->check(CLI::Range(2, kMaxReplicas))
      ->capture_default_str();
  capacity->callback([capacity, room, &exit_code] { exit_code = run_what_if(*capacity, *room); });
}

}  // namespace podium::kubectl
