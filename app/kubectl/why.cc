// `podium why`: why a pod is on its node, or why it waits; with --node: why it is not on that node. Answers
// for one pod, for several, or for a workload.
#include "app/render/why.h"
#include "app/render/exit_codes.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/json/object.hpp>
#include <iostream>
#include <iterator>
#include <memory>

#include "api/text/json_view.h"
#include "app/kubectl/ask.h"
#include "app/kubectl/binding_wait.h"
#include "app/kubectl/command_output.h"
#include "app/kubectl/eviction.h"
#include "app/kubectl/named_nodes.h"
#include "app/kubectl/question_spec.h"
#include "app/kubectl/reports.h"
#include "app/kubectl/verbs.h"
#include "app/kubectl/waiting_pods.h"
#include "app/kubectl/why_workload.h"
#include "app/render/pods.h"
#include "app/render/report.h"
#include "app/render/text.h"
#include "app/render/timeline.h"
#include "app/render/what_if.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;

struct WhyFlags {
  std::shared_ptr<Shared> shared;
  std::vector<std::string> words;
  std::string node;
  bool timeline = false;
};

class Why {
 public:
  Why(const CLI::App& command, Cluster& cluster, const WhyFlags& flags)
      : command_(command),
        cluster_(cluster),
        flags_(flags),
        output_(flags.shared->output),
        options_(render_options(output_, program_of(command))) {
    options_.flags = cluster.hint_flags();
  }

  CommandOutput say(const std::vector<Target>& targets) {
    if (!flags_.shared->selector.empty()) return of_selector();
    if (targets.size() > 1) return of_several(targets);
    const auto target = resolved(cluster_, targets.front());
    const bool is_pod = target.maker->kind == "Pod";
    if (flags_.timeline && !is_pod)
      return failed(command_, invalid("--timeline: needs one pod, not a workload").error());
    if (!flags_.node.empty())
      return is_pod ? not_there(target) : failed(command_, invalid("--node: needs one pod").error());
    return is_pod ? there(target) : why_workload(command_, cluster_, target, output_, options_);
  }

 private:
  CommandOutput not_there(const Target& target) {
    const auto pod = pod_of(target);
    if (pod && !*pod) return no_pod_of(target);
    QuestionFlags asked;
    asked.nodes = {flags_.node};
    asked.fixes = true;
    auto spec = question_spec(asked);
    if (!spec) return failed(command_, spec.error());
    (*spec)["podRef"] = json::object{{"name", target.name}};
    const auto asked_podium = cluster_.ask(target.ns, std::move(*spec), false);
    if (!asked_podium) return failed(command_, asked_podium.error());
    const auto report = render::read_report(*asked_podium);
    auto result = answered(command_, output_, *asked_podium, {report_name(*asked_podium)},
                           [&] { return render::why_node(report, target.ns + "/" + target.name, options_); });
    if (explain::refusal_of(report)) {
      result.code = render::exit_code(report);
      return result;
    }
    const auto& verdicts = render::answer_of(report).verdicts;
    if (!verdicts.empty() && render::is_unknown_node(verdicts.front()))
      return failed(command_, invalid("--node: " + render::unknown_node(verdicts.front())).error());
    result.code = !verdicts.empty() && verdicts.front().fits ? render::kAllFit : render::kNoneFit;
    return result;
  }

  CommandOutput no_pod_of(const Target& target) {
    auto result = failed(command_, {.message = fmt::format("there is no pod {}/{}", target.ns, target.name)});
    result.err += did_you_mean(cluster_, target.ns, target);
    return result;
  }

  // The pod; nullopt: it does not exist.
  Result<std::optional<json::value>> pod_of(const Target& target) {
    auto got = cluster_.get(client::resource::pods, target.ns, target.name);
    if (got) return std::optional(std::move(*got));
    if (client::object_is_gone(got.error())) return std::nullopt;
    return std::unexpected(std::move(got.error()));
  }

  // Reads podium's own memory if there is no report. `no_memory`: why the memory could not be read.
  Result<std::optional<json::value>> report_or_memory(const Target& target,
                                                      const std::optional<json::value>& pod,
                                                      std::string& no_memory) {
    auto report = report_of(target, pod);
    if (report && *report && pod) {
      auto newest = newest_decision(cluster_, *pod, std::move(**report));
      condition_ = std::move(newest.condition);
      *report = std::move(newest.report);
    }
    if (report && *report) return report;
    // Nothing is decided about a pod until it is bound.
    if (pod && (waits_for_binding(*pod, std::nullopt) || !by_pod(target, *pod).empty())) return report;
    // A mistyped name does not need the memory.
    if (!pod && similar_names(cluster_, target.ns, target).is_mistyped) return report;
    const auto uid = pod ? api::text_at(*pod, "/metadata/uid") : std::string();
    auto remembered = cluster_.remembered(target.ns, target.name, uid);
    if (remembered && *remembered) return remembered;
    if (!remembered) no_memory = render::printable(remembered.error().text());
    return report;
  }

  // What podium would decide about a pod that waits for another scheduler, whose message has counts only.
  // nullopt: the pod does not wait, or the user may not ask.
  std::optional<json::value> answer_now(const Target& target, const json::value& pod) {
    if (said_by_scheduler(pod, target.ns, target.name).empty()) return std::nullopt;
    auto answer = cluster_.ask(target.ns, {{"dryRun", true}, {"podRef", {{"name", target.name}}}}, false);
    if (!answer) return std::nullopt;
    const auto read = render::read_report(*answer);
    return explain::refusal_of(read) ? std::nullopt : std::optional(std::move(*answer));
  }

  std::string by_pod(const Target& target, const json::value& pod) const {
    return said_by_pod(pod, target.ns, target.name, options_.program, cluster_.hint_flags());
  }

  Result<std::optional<json::value>> report_of(const Target& target, const std::optional<json::value>& pod) {
    auto report =
        cluster_.decision(target.ns, target.name, pod ? api::text_at(*pod, "/metadata/uid") : std::string());
    if (!report && is_not_installed(report.error())) {
      report.error().request = {};
      report.error().message = not_installed_words(target.ns, target.name);
    }
    return report;
  }

  CommandOutput there(const Target& target) {
    const auto pod = pod_of(target);
    if (!pod) return failed(command_, pod.error());
    std::string no_memory;
    auto report = report_or_memory(target, *pod, no_memory);
    if (!report) return failed(command_, report.error());
    if (flags_.timeline && (*pod || *report)) return timeline(target, *pod, *report);
    const auto words_of_binding = *pod ? binding_words(cluster_, **pod, read_of(*report)) : std::string();
    auto said = *report ? std::string() : words_of_binding;
    if (!*report && *pod && said.empty()) said = by_pod(target, **pod);
    if (!*report && *pod && said.empty()) said = said_by_node(cluster_, **pod, target.ns, target.name);
    if (!said.empty() && output_.has_words())
      return answered(command_, output_, nullptr, {}, [&] { return said; });
    if (!said.empty()) return {.err = std::move(said), .code = 1};
    std::string before;  // podium's own answer
    if (!*report && *pod && output_.has_words()) {
      *report = answer_now(target, **pod);
      if (*report) before = said_by_scheduler(**pod, target.ns, target.name) + "podium would decide now: ";
    }
    if (!*report) {
      auto err = no_report(*pod, target.ns, target.name, options_.program, cluster_.hint_flags());
      if (!no_memory.empty()) err += fmt::format("podium's own memory could not be read: {}\n", no_memory);
      if (!*pod) err += without_report(target);
      return {.err = std::move(err), .code = 1};
    }
    const auto words = [&] {
      if (!words_of_binding.empty()) return words_of_binding;
      const auto read = render::read_report(**report);
      const auto end = end_of(target, *pod);
      auto out =
          before + render::why(read, target.ns + "/" + target.name, options_, end.fate) +
          (condition_.empty() ? "" : fmt::format("Its condition PodScheduled says: {}\n", condition_)) +
          render::note_lines(render::answer_of(read)) +
          render::not_modelled_line(render::answer_of(read).not_modelled);
      if (const auto line = *pod ? limit_range_line(**pod, read) : ""; !out.contains(line)) out += line;
      if (end.eviction) return out + eviction_hint(*end.eviction, options_.program);
      const bool has_ended = end.fate && !end.fate->ended.empty();
      return *pod && !has_ended ? out + render::next_step(read, target.ns, target.name, options_) : out;
    };
    return answered(command_, output_, **report, {report_name(**report)}, words);
  }

  std::optional<Eviction> eviction_of(const Target& target, const std::optional<json::value>& pod) {
    if (!pod) return eviction_of_gone(cluster_, target.ns, target.name);
    return last_eviction(cluster_, target.ns, target.name, api::text_at(*pod, "/metadata/uid"));
  }

  static std::optional<render::Report> read_of(const std::optional<json::value>& report) {
    return report ? std::optional(render::read_report(*report)) : std::nullopt;
  }

  // Returns the time at which the pod's first victim was evicted.
  std::optional<Wall> nomination_of(const Target& target, const render::Report& report) {
    const auto& preemption = report.status.preemption;
    if (!preemption || preemption->victims.empty()) return std::nullopt;
    const auto& victim = preemption->victims.front();
    const auto eviction = last_eviction(cluster_, victim.ns, victim.name, "");
    const bool is_for_it = eviction && eviction->ns == target.ns && eviction->pod == target.name;
    return is_for_it ? eviction->when : std::nullopt;
  }

  static bool is_attempt(const render::TimelineEntry& moment) {
    return moment.what == "tried" || moment.what == "failed" || moment.what == "chose";
  }

  CommandOutput timeline(const Target& target, const std::optional<json::value>& pod,
                         const std::optional<json::value>& report) {
    std::vector<render::TimelineEntry> moments;
    const auto add = [&](std::vector<render::TimelineEntry> more) {
      std::ranges::move(more, std::back_inserter(moments));
    };
    if (report) {
      const auto read = render::read_report(*report);
      add(render::moments_of(read, nomination_of(target, read)));
      if (!pod) add(render::moments_of_gone(read));
    }
    if (pod) add(render::moments_of_pod(*pod, waits_for_binding(*pod, read_of(report))));
    // The answer about a dump has no attempts.
    if (pod && std::ranges::none_of(moments, &is_attempt)) add(render::attempts_of_pod(*pod));
    if (const auto eviction = eviction_of(target, pod))
      moments.push_back(render::evicted(eviction->when, eviction->ns + "/" + eviction->pod));
    moments = render::in_order(std::move(moments));
    auto result =
        answered(command_, output_, render::timeline_document(moments), {"pod/" + target.name}, [&] {
          return render::timeline_table(target.ns + "/" + target.name, moments, options_) +
                 (pod ? "" : "The pod no longer exists.\n");
        });
    if (!report && output_.has_words())
      result.err += "podium has no report of this pod: these are the times of the pod alone.\n";
    return result;
  }

  struct End {
    std::optional<render::Fate> fate;  // nullopt: the pod is there and has not ended
    std::optional<Eviction> eviction;
  };
  // What happened to a pod that is gone, has ended or terminates.
  End end_of(const Target& target, const std::optional<json::value>& pod) {
    if (pod) {
      if (auto ended = end_of_pod(*pod); !ended.empty())
        return {render::Fate{.is_gone = false, .ended = std::move(ended)}, std::nullopt};
      if (api::text_at(*pod, "/metadata/deletionTimestamp").empty()) return {};
    }
    End out{render::Fate{.is_gone = !pod}, eviction_of(target, pod)};
    if (out.eviction) out.fate->how = eviction_words(*out.eviction, system_clock().wall());
    return out;
  }

  std::string without_report(const Target& target) {
    auto close = similar_names(cluster_, target.ns, target);
    // A mistyped name does not need the memory.
    const auto eviction = eviction_of_gone(cluster_, target.ns, target.name, !close.is_mistyped);
    if (!eviction) return close.words;
    const auto on =
        eviction->node.empty() ? std::string() : ", on " + render::printable(eviction->node) + ",";
    return fmt::format("A pod of this name{} was {}.\n{}", on,
                       eviction_words(*eviction, system_clock().wall()),
                       eviction_hint(*eviction, options_.program));
  }

  CommandOutput of_selector() {
    const auto& selector = flags_.shared->selector;
    client::ListOptions selected;
    selected.label_selector = selector;
    const auto ns = flags_.shared->connection.all_namespaces ? std::string() : cluster_.ns();
    const auto pods = cluster_.list(client::resource::pods, ns, selected);
    if (!pods) return failed(command_, pods.error());
    if (pods->empty()) {
      auto err = ns.empty() ? std::string() : no_namespace(cluster_, ns);
      if (err.empty())
        err = fmt::format("No pod{} matches the selector {}.\n", where_of(ns), render::printable(selector));
      return {.err = std::move(err), .code = 1};
    }
    Lines lines;
    for (const auto& pod : *pods) {
      const auto its_ns = ns.empty() ? api::text_at(pod, "/metadata/namespace") : ns;
      if (auto added = add_pod(pod_target(its_ns, pod), pod, lines); !added)
        return failed(command_, added.error());
    }
    return output_of(std::move(lines));
  }

  struct Lines {
    std::vector<render::PodLine> pods;
    std::vector<json::value> reports;
    std::string missing;
  };

  static Target pod_target(const std::string& ns, const json::value& pod) {
    return {api::pod_maker_named("pod"), api::text_at(pod, "/metadata/name"), ns, true};
  }

  Result<void> add_pod(const Target& target, std::optional<json::value> pod, Lines& lines) {
    const auto& [maker, name, ns, has_type] = target;
    const auto report = report_of(target, pod);
    if (!report) return std::unexpected(report.error());
    if (!*report && !pod) {
      lines.missing += no_report(pod, ns, name, options_.program, cluster_.hint_flags());
      // Says only once that a namespace does not exist.
      if (const auto hint = did_you_mean(cluster_, ns, target); !lines.missing.contains(hint))
        lines.missing += hint;
      return {};
    }
    render::PodLine line{.subject = ns + "/" + name};
    if (const auto fate = end_of(target, pod).fate) line.fate = render::fate_words(*fate);
    if (pod) line.pod = render::read_waiting_pod(*pod);
    if (pod) line.node = render::printable(api::text_at(*pod, "/spec/nodeName"));
    if (*report) {
      line.report = render::read_report(**report);
      lines.reports.push_back(**report);
    }
    lines.pods.push_back(std::move(line));
    return {};
  }

  // Says that a workload without pods does not exist, if that is so.
  void add_missing(const Target& target, Lines& lines) {
    const auto object = cluster_.get(resource_of(*target.maker), target.ns, target.name);
    if (object || !client::object_is_gone(object.error())) return;
    lines.missing += fmt::format("There is no {} {}/{}.\n", target.maker->kind, target.ns, target.name);
    if (const auto hint = did_you_mean(cluster_, target.ns, target); !lines.missing.contains(hint))
      lines.missing += hint;
  }

  // A line for each pod; workloads are shown as their pods.
  CommandOutput of_several(const std::vector<Target>& targets) {
    Lines lines;
    for (const auto& each : targets) {
      const auto target = resolved(cluster_, each);
      Result<void> added;
      if (target.maker->kind == "Pod") {
        auto pod = pod_of(target);
        if (!pod) return failed(command_, pod.error());
        added = add_pod(target, std::move(*pod), lines);
      } else {
        const auto pods = pods_of(cluster_, target, target.ns);
        if (!pods) return failed(command_, pods.error());
        if (pods->empty()) add_missing(target, lines);
        for (const auto& pod : *pods) {
          if (added) added = add_pod(pod_target(target.ns, pod), pod, lines);
        }
      }
      if (!added) return failed(command_, added.error());
    }
    return output_of(std::move(lines));
  }

  CommandOutput output_of(Lines lines) {
    const int code = lines.missing.empty() ? 0 : 1;
    std::vector<std::string> names;
    for (const auto& report : lines.reports) names.push_back(report_name(report));
    auto out = answered(command_, output_, as_list(std::move(lines.reports)), names, [&] {
      return lines.pods.empty() ? std::string() : render::pods_table(lines.pods, options_);
    });
    out.err += lines.missing;
    out.code = out.code == 0 ? code : out.code;
    return out;
  }

  const CLI::App& command_;
  Cluster& cluster_;
  const WhyFlags& flags_;
  const Output& output_;
  render::Options options_;
  std::string condition_;  // as of NewestDecision
};

int run_why(const CLI::App& command, const WhyFlags& flags) {
  const auto& shared = *flags.shared;
  auto problems = problems_of(shared);
  problems.check(check_names(shared.output, flags.node.empty(),
                             "the question of --node is deleted once it is answered"));
  const auto targets = problems.value_of(parse_targets(flags.words, shared.connection.ns));
  const bool has_selector = !shared.selector.empty();
  const bool is_one = flags.words.size() < 2 || (targets && targets->size() == 1);
  if (flags.words.empty() && !has_selector && !shared.connection.all_namespaces)
    problems.add("no pod is given: give POD, TYPE/NAME or -l SELECTOR; for all pending pods: " +
                 program_of(command) + " pending");
  if (shared.connection.all_namespaces && !has_selector)
    problems.add("-A: needs -l SELECTOR; for all pending pods: " + program_of(command) + " pending -A");
  if (!flags.words.empty() && has_selector) problems.add("-l: cannot be combined with names");
  if (flags.timeline && (!is_one || has_selector || !flags.node.empty()))
    problems.add("--timeline: needs one pod, without --node");
  if (!flags.node.empty() && (!is_one || has_selector)) problems.add("--node: needs one pod");
  auto node = flags.node.empty() ? std::vector<std::string>() : parse_nodes({flags.node}, problems);
  if (problems) return fail_with(command, problems.error());
  auto cluster = open_cluster(shared.connection);
  if (!cluster) return fail_with(command, cluster.error());
  auto asked = flags;
  if (!node.empty()) asked.node = node.front();
  Why why(command, **cluster, asked);
  return say(**cluster, shared.watch, [&] { return why.say(*targets); });
}

}  // namespace

std::function<int()> declare_why(CLI::App& command, const std::shared_ptr<Shared>& shared) {
  const auto flags = std::make_shared<WhyFlags>();
  flags->shared = shared;
  command.add_option("POD", flags->words, "pods, or workloads as TYPE/NAME: web-07, shop/web-07, deploy/web");
  command.add_option("--node", flags->node, "explain why it is not on this node, and what would help")
      ->type_name("NODE");
  command.add_flag(
      "--timeline", flags->timeline,
      "list what happened to the pod and when: created, gated, tried, nominated, bound, evicted");
  return [&command, flags] { return run_why(command, *flags); };
}

}  // namespace podium::kubectl
