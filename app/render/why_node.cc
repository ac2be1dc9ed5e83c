// Renders the verdict on a node that a question names: that of each filter, and fixes for the pod.
#include <fmt/format.h>

#include <algorithm>

#include "app/render/amounts.h"
#include "app/render/fixes.h"
#include "app/render/what_if.h"
#include "app/render/why.h"
#include "app/render/words.h"
#include "explain/report/reason_words.h"
#include "scheduler/framework/plugin_names.h"

namespace podium::render {
namespace {

// A filter's reason, which may consist of kube-scheduler's text only.
struct Given {
  std::string_view plugin;
  const std::string& text;
  const explain::Cause* cause;  // null: written by an older podium
};

// The reasons of a verdict or a check, with their causes.
template <typename From>
std::vector<Given> given_by(const From& from) {
  std::vector<Given> out;
  for (std::size_t i = 0; i < from.reasons.size(); ++i)
    out.push_back({from.plugin, from.reasons[i], i < from.causes.size() ? &from.causes[i] : nullptr});
  return out;
}

// ": nodeSelector disk=ssd, but it has disk=hdd".
std::string unmet_words(const std::vector<explain::UnmetOnNode>& unmet) {
  std::vector<std::string> parts;
  for (const auto& part : unmet) {
    const auto from = part.from == explain::kOneOfSeveralTerms ? "nodeAffinity, one of" : part.from;
    auto words = fmt::format("{} {}", from, part.requirement);
    if (!part.key.empty() && !part.has_label)
      words += fmt::format(", but it does not have the label {}", part.key);
    else if (part.has_label && !part.value.empty())
      words += fmt::format(", but it has {}={}", part.key, part.value);
    parts.push_back(std::move(words));
  }
  return parts.empty() ? std::string() : fmt::format(": {}", fmt::join(parts, "; "));
}

std::string rejection_text(const Given& given, const Options& options,
                           const std::vector<std::string>& taints = {}) {
  const auto code = given.cause ? std::string_view(given.cause->code) : std::string_view();
  const auto words = given.cause ? explain::reason_words(code, given.cause->about, given.text) : given.text;
  const bool is_of_node = given.cause && words != given.text && !explain::is_of_pod(code);
  return fmt::format("{}{}{}{}", is_of_node ? "it " : "", words, taint_words(taints, taints.size()),
                     options.wide ? fmt::format("  ({}: {})", given.plugin, given.text) : "");
}

// Requested and free amounts. A short amount is a rejection.
void add_resources(const explain::NodeVerdict& verdict, const explain::FilterCheck& fit,
                   const Options& options, NodeChecks& out) {
  std::vector<std::string_view> shown;
  const auto given = given_by(fit);
  const auto resource_of = [](const Given& one) {
    return one.cause ? framework::named(one.cause->about, framework::Topic::resource) : std::string_view();
  };
  for (const auto& amount : verdict.resources) {
    auto words = fmt::format("{} {} free", amount.resource,
                             requested_of_free(amount.resource, amount.requested, amount.free));
    if (std::ranges::find(given, amount.resource, resource_of) == given.end()) {
      out.amounts.push_back(std::move(words));
    } else {
      out.rejects.push_back(std::move(words));
      shown.push_back(amount.resource);
    }
  }
  for (const auto& one : given) {
    const auto resource = resource_of(one);
    if (resource.empty() || std::ranges::find(shown, resource) == shown.end())
      out.rejects.push_back(rejection_text(one, options));
  }
  if (fit.passes && verdict.resources.empty()) out.amounts.push_back(filter_words(fit.plugin));
}

// The verdict of each filter on the node: the rejections first, then the filters that pass.
std::string check_lines(const explain::NodeVerdict& verdict, const Options& options) {
  std::string out;
  const auto checks = checks_of(verdict, options);
  for (const auto& words : checks.rejects) out += fmt::format("  {} {}\n", options.style.bad("✗"), words);
  for (const auto& line : {checks.amounts, checks.passes}) {
    if (line.empty()) continue;
    out += " ";
    for (const auto& words : line) out += fmt::format(" {} {} ", options.style.good("✓"), words);
    out.back() = '\n';
  }
  return out;
}

// The rank of the node with its first fix, compared with the node that the pod would then get.
std::string fixed_rank(const Report& report, const explain::NodeVerdict& verdict) {
  const auto& answer = answer_of(report);
  const auto fix = std::ranges::find_if(
      answer.fixes, [&](const explain::ReportFix& each) { return each.node == verdict.node && each.rank; });
  if (fix == answer.fixes.end()) return {};
  const auto& name = fix->message.empty() ? fix->type : fix->message;
  const auto ranks = fmt::format("With \"{}\", {} ranks {} of {}", name, verdict.node, *fix->rank,
                                 fix->feasible.value_or(*fix->rank));
  if (fix->best_node.empty() || !fix->best_score || !fix->score) return ranks + ".\n";
  const auto behind = *fix->best_score - *fix->score;
  if (fix->best_node == verdict.node) return ranks + ": it would go there.\n";
  if (behind <= 0) return fmt::format("{}: as good as {}.\n", ranks, fix->best_node);
  return fmt::format("{}: it would still not go there, but to {}, which has {} more.\n", ranks,
                     fix->best_node, counted(static_cast<std::size_t>(behind), "point"));
}

}  // namespace

NodeChecks checks_of(const explain::NodeVerdict& verdict, const Options& options) {
  NodeChecks out;
  const auto is_of_check = [&](const std::string& reason) {
    return std::ranges::any_of(verdict.checks, [&](const explain::FilterCheck& check) {
      return std::ranges::find(check.reasons, reason) != check.reasons.end();
    });
  };
  // Several plugins may reject the node for the same reason.
  const auto add_reject = [&out](std::string words) {
    if (std::ranges::find(out.rejects, words) == out.rejects.end()) out.rejects.push_back(std::move(words));
  };
  for (const auto& given : given_by(verdict)) {
    if (!is_of_check(given.text)) add_reject(rejection_text(given, options));
  }
  for (const auto& check : verdict.checks) {
    if (check.plugin == framework::names::kNodeResourcesFit) {
      add_resources(verdict, check, options, out);
    } else if (check.passes) {
      out.passes.push_back(filter_words(check.plugin));
    } else {
      for (const auto& given : given_by(check))
        add_reject(rejection_text(given, options, check.taints) +
                   near_toleration_words(check.near_toleration) + unmet_words(check.unmet));
    }
  }
  return out;
}

bool is_unknown_node(const explain::NodeVerdict& verdict) { return verdict.code == explain::kUnknownNode; }

std::string unknown_node(const explain::NodeVerdict& verdict) {
  return verdict.reasons.empty() ? explain::no_node(verdict.node, {}) : verdict.reasons.front();
}

namespace {

std::string unknown_node_line(const explain::NodeVerdict& verdict) {
  auto words = unknown_node(verdict);
  words.front() = 'T';
  return words + (words.ends_with('?') ? "\n" : ".\n");
}

NodeWords rejection_words_of(const Report& report, const explain::NodeVerdict& verdict,
                             const std::string& subject, const Options& options) {
  const auto& answer = answer_of(report);
  NodeWords out{.title = fmt::format("{}: {} rejects {}.\n", options.style.bad("No"),
                                     options.style.bold(verdict.node), subject),
                .notes = {},
                .rank = fixed_rank(report, verdict)};
  if (!verdict.would_fit_with.empty()) {
    if (answer.fixes.empty()) out.notes = fmt::format("It would fit with {}.\n", verdict.would_fit_with);
  } else if (!answer.no_fix_helps &&
             std::ranges::find(answer.fixes, verdict.node, &explain::ReportFix::node) == answer.fixes.end()) {
    out.notes = "No single change that podium tried would let it fit there.\n";
  }
  return out;
}

}  // namespace

NodeWords node_words(const Report& report, const explain::NodeVerdict& verdict, const std::string& subject,
                     const Options& options) {
  if (is_unknown_node(verdict)) return {.title = unknown_node_line(verdict), .notes = {}, .rank = {}};
  if (!verdict.fits) return rejection_words_of(report, verdict, subject, options);
  NodeWords out;
  out.title =
      fmt::format("{}: {} fits {}", options.style.good("Yes"), subject, options.style.bold(verdict.node));
  if (verdict.score) out.title += fmt::format(" with {} points", *verdict.score);
  if (verdict.rank)
    out.title += fmt::format(", rank {} of {}", *verdict.rank, report.status.node_counts.feasible);
  out.title += ".\n";
  const auto& choice = report.status.choice;
  if (choice && choice->node != verdict.node && choice->score && verdict.score)
    out.notes =
        *choice->score == *verdict.score
            ? fmt::format("{} has the same points, and podium chooses one of the equal nodes.\n",
                          choice->node)
            : fmt::format("{} has {}.\n", choice->node,
                          counted(static_cast<std::size_t>(*choice->score - *verdict.score), "more point"));
  return out;
}

namespace {

struct VerdictLines {
  std::string verdicts, ranks;
};
VerdictLines verdict_lines(const Report& report, const std::string& subject, const Options& options) {
  VerdictLines out;
  for (const auto& verdict : answer_of(report).verdicts) {
    const auto words = node_words(report, verdict, subject, options);
    out.verdicts += words.title;
    if (!is_unknown_node(verdict)) out.verdicts += check_lines(verdict, options) + words.notes;
    out.ranks += words.rank;
  }
  return out;
}

}  // namespace

std::string node_verdicts(const Report& report, const std::string& subject, const Options& options) {
  const auto lines = verdict_lines(report, subject, options);
  return lines.verdicts + lines.ranks;
}

std::string why_node(const Report& report, const std::string& subject, const Options& options) {
  if (refusal_of(report)) return why(report, subject, options);
  const auto& answer = answer_of(report);
  auto [verdicts, ranks] = verdict_lines(report, subject, options);
  if (answer.verdicts.empty()) verdicts = subject + ": the answer has no verdict on that node.\n";
  return verdicts + tried_fixes_of_nodes(report) + ranks + (answer.fixes.empty() ? "" : note_lines(answer)) +
         not_modelled_line(answer.not_modelled);
}

}  // namespace podium::render
