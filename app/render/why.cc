#include "app/render/why.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>

#include "app/render/fixes.h"
#include "app/render/pending.h"
#include "app/render/scores.h"
#include "app/render/words.h"
#include "explain/report/reason_words.h"

namespace podium::render {
namespace {

constexpr std::string_view kCordoned = "NodeUnschedulable", kTainted = "UntoleratedTaint";
constexpr std::size_t kColumns = 4, kWideColumns = 10, kVictimsNamed = 4, kAttempts = 5,
                      kRequirementBytes = 72;

std::string fitting_nodes(const Report& report) {
  const auto& nodes = report.status.node_counts;
  const bool partly = nodes.evaluated > 0 && nodes.evaluated < nodes.total;
  return fmt::format("{} of {} {}{}.", nodes.feasible, counted(nodes.total, "node"), fit(nodes.feasible),
                     partly ? fmt::format("; {} were evaluated", nodes.evaluated) : "");
}

std::string evicted(const explain::Preempted& preempted) {
  std::vector<std::string> names;
  for (const auto& victim : preempted.victims) names.push_back(victim.text());
  return listed(names, kVictimsNamed, std::max(names.size(), preempted.total));
}

std::string ago(const std::optional<Wall>& time, const Options& options) {
  if (!time || options.now < *time) return {};
  return age(std::chrono::duration_cast<std::chrono::seconds>(options.now - *time)) + " ago";
}

// "29 minutes ago".
std::string ago_words(const std::optional<Wall>& time, const Options& options) {
  if (!time || options.now < *time) return {};
  return age_words(std::chrono::duration_cast<std::chrono::seconds>(options.now - *time)) + " ago";
}

std::string decided_line(const Report& report, const Options& options) {
  const auto when = ago_words(report.status.decided_at, options);
  if (when.empty() || report.is_question) return {};
  return fmt::format(
      "Decided {}{}.\n", when,
      report.status.attempts > 1 ? fmt::format(", at attempt {}", report.status.attempts) : "");
}

std::string earlier(const Report& report, const Options& options) {
  if (report.status.history.empty()) return {};
  std::vector<Cells> rows;
  for (const auto& attempt : report.status.history) {
    if (rows.size() == kAttempts) break;
    rows.push_back({ago(attempt.at, options), attempt.outcome, attempt_words(attempt)});
  }
  return "Earlier attempts:\n" + table(rows, {Align::left});
}

std::string given_devices(const Report& report) {
  if (report.status.devices.empty()) return {};
  std::vector<Cells> rows;
  for (const auto& device : report.status.devices) {
    rows.push_back({device.request, fmt::format("{}/{}", device.pool, device.device), device.driver,
                    "claim " + device.claim});
  }
  auto out = "Devices:\n" + table(rows, {Align::left});
  if (report.status.devices_total > rows.size())
    out += fmt::format("  and {} more\n", report.status.devices_total - rows.size());
  return out;
}

// The verdict begins with what is true now.
std::string placed_line(const Report& report, const std::string& subject, const Options& options,
                        const std::optional<Fate>& fate) {
  const auto& node = report.status.choice->node;
  const auto points = choice_words(report);
  if (report.status.outcome == explain::kBinding)
    return fmt::format("{} {} {}{}, and is not bound yet: {}.\n", options.style.bold(subject),
                       options.style.warn("goes to"), node,
                       points.empty() ? "" : fmt::format(" ({})", points), report.status.message);
  if (fate)
    return fmt::format("{} {} {}{}; {}.\n", options.style.bold(subject),
                       fate->is_gone || !fate->ended.empty() ? "was on" : "is on", node,
                       points.empty() ? "" : fmt::format(" ({})", points), fate_words(*fate));
  return fmt::format("{} {} {}{}.\n", options.style.bold(subject),
                     report.is_question ? "would go to" : "is on", options.style.good(node),
                     points.empty() ? "" : ": " + points);
}

std::string placed(const Report& report, const std::string& subject, const Options& options,
                   const std::optional<Fate>& fate) {
  auto out = placed_line(report, subject, options, fate);
  if (report.status.preemption) {
    const auto& preempted = *report.status.preemption;
    out +=
        fmt::format("Evicted to make room: {}{}.\n", evicted(preempted), violated_budgets_words(preempted));
  }
  const auto scores = score_table(report, options.wide ? kWideColumns : kColumns, options.wide);
  out += fitting_nodes(report);
  if (!scores.empty())
    out += "  points = weight × score\n" + scores;
  else
    out += "\n";
  out += given_devices(report);
  if (const auto margin = lead(report); !margin.empty()) {
    out += margin + "\n";
  } else if (report.status.node_counts.feasible > 1 &&
             report.status.choice->tied_nodes == report.status.node_counts.feasible) {
    out += "All nodes that fit have the same score.\n";
  }
  return out + decided_by(report);
}

std::string preemption_words(const Report& report) {
  if (report.status.preemption) return would_evict(report);
  const bool may_help = std::ranges::any_of(
      report.status.rejections, [](const explain::ReportRejection& r) { return r.preemption_may_help; });
  if (const auto* reason = framework::find_reason(report.status.no_preemption); may_help && reason)
    return fmt::format("It evicts no pods: {}.\n", reason->words);
  return may_help ? "No pod of lower priority could make room.\n" : "Evicting other pods would not help.\n";
}

std::string attempts_line(const Report& report, const Options& options) {
  if (report.is_question || report.status.attempts == 0) return {};
  const auto last = ago_words(report.status.decided_at, options);
  return fmt::format("{}{}.\n", counted(report.status.attempts, "attempt"),
                     last.empty() ? "" : ", the last " + last);
}

// The length of a list of values is not bounded.
std::string shortened_requirement(const std::string& requirement) {
  const auto cut = explain::cut(requirement, kRequirementBytes);
  return cut == requirement ? requirement : cut + "…";
}

// The reason that applies to the pod on any node; null: there is none.
const explain::ReportRejection* own_reason(const Report& report) {
  const auto& rejections = report.status.rejections;
  return rejections.size() == 1 && explain::is_of_pod(rejections.front().code) ? &rejections.front()
                                                                               : nullptr;
}

std::string values_of(const explain::UnmetPart& part) {
  auto values = part.values;
  std::ranges::replace(values, std::string(), "\"\"");
  if (part.values_total > values.size()) return listed(values, values.size(), part.values_total);
  return fmt::format("{}", fmt::join(values, ", "));
}

// What nodes have instead of a part that none of them meets.
std::string instead_of(const explain::UnmetPart& part) {
  if (!part.missing_node.empty()) return explain::no_node(part.missing_node, part.values);
  const auto near = part.near.empty() ? std::string() : " " + suggestion(part.near);
  if (!part.missing_key.empty())
    return fmt::format("no node has the label {}{}{}", part.missing_key, near.empty() ? "" : ".", near);
  if (part.values.empty()) return {};
  return fmt::format("values: {}{}{}", values_of(part), near.empty() ? "" : ".", near);
}

// A cordon or a taint of a node, which applies to any pod.
std::string state_words(const explain::ReportRejection& rejection) {
  if (rejection.code == kCordoned) return fmt::format("{} cordoned", rejection.nodes);
  return fmt::format("{} {}", rejection.nodes,
                     rejection.taints.empty()
                         ? "tainted"
                         : "with taint " + listed_taints(rejection.taints, 2, rejection.taints_total));
}

// No node has all labels that the pod requires.
std::string pending_for_labels(const Report& report, const std::string& subject, const Options& options) {
  auto out = fmt::format("{} {}: no node has all that it requires.\n", options.style.bold(subject),
                         options.style.bad(report.is_question ? "does not fit" : "is pending"));
  out += selector_table(report.status.rejections, options);
  if (const auto others = cannot_anyway(report.status.rejections); !others.empty())
    out += fmt::format("{} {}.\n", others[0], others[1]);
  return out + attempts_line(report, options);
}

std::string pending(const Report& report, const std::string& subject, const Options& options) {
  const auto* own = own_reason(report);
  if (!own && unmet_selector(report) && !options.wide) return pending_for_labels(report, subject, options);
  if (own) {
    return fmt::format("{} {}: {}\n", options.style.bold(subject),
                       options.style.bad(report.is_question ? "does not fit" : "is pending"),
                       own_sentence(*own)) +
           (options.wide ? fmt::format("  ({}: {})\n", own->plugin, own->reason) : "") +
           attempts_line(report, options);
  }
  if (report.status.preemption && !report.is_question) {
    const auto& preempted = *report.status.preemption;
    return fmt::format("{} {}: it waits until {} left {}.\n", options.style.bold(subject),
                       options.style.warn("is pending"),
                       counted(preempted.total, "evicted pod has", "evicted pods have"), preempted.node) +
           fmt::format("Evicted to make room: {}{}{}.\n", evicted(preempted),
                       violated_budgets_words(preempted), static_pods_words(preempted)) +
           rejected_nodes(report.status.rejections, report.status.rejections_total, options) +
           attempts_line(report, options);
  }
  // No node was evaluated.
  if (const auto& message = report.status.message; report.status.rejections.empty() && !message.empty())
    return fmt::format("{} {}: {}{}\n", options.style.bold(subject),
                       options.style.bad(report.is_question ? "does not fit" : "is pending"), message,
                       message.ends_with('.') ? "" : ".") +
           attempts_line(report, options);
  auto out = options.style.bold(subject) + (report.is_question ? " " : " is pending: ") +
             options.style.bad(report.is_question ? "does not fit" : "no node fits") +
             (report.status.node_counts.total
                  ? fmt::format(" ({})", counted(report.status.node_counts.total, "node"))
                  : std::string()) +
             (report.status.preemption ? ": it " + blocked_by(report.status) : std::string()) + ".\n";
  if (!report.status.rejections.empty()) {
    out += rejected_nodes(report.status.rejections, report.status.rejections_total, options);
    out += required_labels(report.status.rejections, options);
    out += pod_before_line(report.status);
    out += preemption_words(report);
  }
  return out + attempts_line(report, options);
}

}  // namespace

std::string own_sentence(const explain::ReportRejection& own) {
  const auto& parts = own.parts;
  const auto named = std::ranges::find(parts, framework::named(own.about, framework::Topic::node),
                                       &explain::UnmetPart::missing_node);
  const auto words = named == parts.end() || named->missing_node.empty()
                         ? rejection_words(own)
                         : explain::no_node(named->missing_node, named->values);
  return words.ends_with('?') ? words : words + ".";
}

std::string would_evict(const Report& report) {
  const auto& preemption = report.status.preemption;
  if (!preemption) return {};
  return fmt::format("Preemption: {} on {} would be evicted to make room{}{}.\n", evicted(*preemption),
                     preemption->node, violated_budgets_words(*preemption), static_pods_words(*preemption));
}

std::string choice_words(const Report& report) {
  const auto& choice = *report.status.choice;
  if (!choice.score) return {};
  // Without a strategy there is nothing to compare: the pod names its node.
  if (report.status.strategies.empty() && report.status.node_counts.feasible == 1)
    return "the only node that fits";
  auto out = counted(static_cast<std::size_t>(std::max<std::int64_t>(0, *choice.score)), "point");
  if (report.status.node_counts.feasible == 1) return out + ", the only node that fits";
  if (choice.tied_nodes <= 1) return out;
  // The pod's UID decides a tie, and the pod of a question does not have one yet.
  return out + (report.is_question ? fmt::format(", one of {} equal nodes", choice.tied_nodes)
                                   : fmt::format(", tied with {}; the pod's UID decides",
                                                 counted(choice.tied_nodes - 1, "other node")));
}

std::string required_labels(const std::vector<explain::ReportRejection>& rejections, const Options& options) {
  const auto parts = selector_table(rejections, options);
  return parts.empty() ? parts : "The labels that it requires:\n" + parts;
}

std::string selector_table(const std::vector<explain::ReportRejection>& rejections, const Options& options) {
  std::vector<Cells> rows;
  for (const auto& rejection : rejections) {
    for (const auto& part : rejection.parts) {
      const auto from = part.from == explain::kOneOfSeveralTerms ? "nodeAffinity, one of" : part.from;
      rows.push_back(
          {fmt::format("{} {}", from, shortened_requirement(part.requirement)), counted(part.nodes, "node")});
      if (const auto words = instead_of(part); !words.empty()) rows.back().push_back("← " + words);
    }
  }
  constexpr std::size_t kRequirement = 0, kValues = 2;
  return rows.empty() ? ""
                      : table(rows, {Align::left, Align::right, Align::left}, 2,
                              {options.columns, {{kRequirement, 40}, {kValues, 14}, {kRequirement, 20}}});
}

const explain::ReportRejection* unmet_selector(const Report& report) {
  const explain::ReportRejection* found = nullptr;
  bool has_others = false;
  for (const auto& rejection : report.status.rejections) {
    if (!rejection.parts.empty())
      found = &rejection;
    else if (is_of_the_node(rejection))
      has_others = true;
    else
      return nullptr;  // another reason also counts
  }
  // The filters of cordons and taints come first, so those nodes may have all labels.
  return found && (!has_others || lacks_a_part(*found)) ? found : nullptr;
}

bool is_of_the_node(const explain::ReportRejection& rejection) {
  return rejection.code == kCordoned || rejection.code == kTainted;
}

Cells cannot_anyway(const std::vector<explain::ReportRejection>& rejections) {
  std::size_t nodes = 0;
  std::vector<std::string> parts;
  for (const auto& rejection : rejections) {
    if (!is_of_the_node(rejection)) continue;
    nodes += rejection.nodes;
    parts.push_back(state_words(rejection));
  }
  if (parts.empty()) return {};
  return {counted(nodes, "node"), fmt::format("would not accept it anyway: {}", fmt::join(parts, ", "))};
}

std::string what_would_help(const std::string& target, const std::string& ns, const Options& options) {
  if (options.program.empty()) return {};
  return fmt::format("What would help? {} whatif {} -n {}{} --fixes\n", options.program, target, ns,
                     options.flags);
}

std::string where_now(const std::string& ns, const std::string& pod, const Options& options) {
  return fmt::format("Where would it go now? {} whatif pod/{} -n {}{}\n", options.program, pod, ns,
                     options.flags);
}

std::string without_gates(std::size_t gates, const std::string& ns, const std::string& pod,
                          const Options& options) {
  return fmt::format("Without its gate{}? {} whatif pod/{} -n {}{}\n", gates == 1 ? "" : "s", options.program,
                     pod, ns, options.flags);
}

std::string next_step(const Report& report, const std::string& ns, const std::string& pod,
                      const Options& options) {
  if (options.program.empty() || (report.is_question && report.status.outcome == "Fits")) return {};
  const auto gates = report.status.scheduling_gates.size();
  if (gates > 0) return without_gates(gates, ns, pod, options);
  if (report.status.outcome == explain::kScheduled) return where_now(ns, pod, options);
  const bool may_help = report.status.outcome == explain::kUnschedulable || report.is_question;
  return may_help && !is_pods_own_fault(report) ? what_would_help("pod/" + pod, ns, options) : std::string();
}

std::string rejected_nodes(const std::vector<explain::ReportRejection>& rejections, std::size_t total,
                           const Options& options) {
  if (rejections.empty()) return {};
  std::vector<Cells> rows;
  for (const auto& rejection : rejections) {
    auto words = rejection_words(rejection);
    if (const auto least = shortfall_words(rejection); !least.empty()) words += "; " + least;
    auto examples = listed(rejection.examples, 3, rejection.nodes);
    rows.push_back({counted(rejection.nodes, "node"), std::move(words), std::move(examples)});
    if (options.wide) rows.back().push_back(fmt::format("{}: {}", rejection.plugin, rejection.reason));
  }
  constexpr std::size_t kWords = 1, kExamples = 2;
  auto out = "Rejected nodes:\n" + table(rows, {Align::right, Align::left}, 2,
                                         {options.columns, {{kExamples, 20}, {kWords, 30}, {kExamples, 10}}});
  if (total > rejections.size())
    out += fmt::format("  and {}\n", counted(total - rejections.size(), "more reason"));
  return out;
}

bool is_pods_own_fault(const Report& report) { return own_reason(report) != nullptr; }

std::string gated(const std::string& subject, const std::vector<std::string>& gates) {
  return fmt::format("{} waits for its scheduling gate{}: {}. No node was evaluated.\n", subject,
                     gates.size() == 1 ? "" : "s", fmt::join(gates, ", "));
}

std::string fate_words(const Fate& fate) {
  if (!fate.ended.empty()) return fate.ended;
  if (!fate.is_gone) return fate.how.empty() ? "it terminates" : "it terminates, " + fate.how;
  return fate.how.empty() ? "it no longer exists" : fate.how;
}

std::string why(const Report& report, const std::string& subject, const Options& options,
                const std::optional<Fate>& fate) {
  const auto name = options.style.bold(subject);
  const bool is_placed = report.status.choice && report.status.outcome == explain::kScheduled;
  if (fate && !is_placed)
    return fmt::format("{}: {}. {}:\n", name, fate_words(*fate),
                       report.status.answer ? "A new pod like it" : "The last decision") +
           why(report, subject, options);
  if (const auto* refusal = refusal_of(report))
    return fmt::format("{}: {}: {}\n", name, options.style.bad("refused"), *refusal);
  if (!report.status.scheduling_gates.empty()) return gated(name, report.status.scheduling_gates);
  // Another PreEnqueue plugin: DynamicResources, if a claim of the pod does not exist or was deleted.
  if (report.status.outcome == "Gated") {
    return fmt::format("{} {}. No node was evaluated.\n", name, report.status.message) +
           earlier(report, options);
  }
  if (report.status.outcome == "Failed") {
    return fmt::format("{}: {}: {}\n", name, options.style.bad("the attempt failed"), report.status.message) +
           earlier(report, options);
  }
  if (report.status.outcome.empty()) return fmt::format("{}: the report has no outcome yet.\n", name);
  const auto has_node = {explain::kScheduled, explain::kBinding, "Fits"};
  if (report.status.choice && std::ranges::find(has_node, report.status.outcome) != has_node.end()) {
    return placed(report, subject, options, fate) +
           rejected_nodes(report.status.rejections, report.status.rejections_total, options) +
           decided_line(report, options) + earlier(report, options);
  }
  return pending(report, subject, options) + tried_fixes(report) + earlier(report, options);
}

}  // namespace podium::render
