#include "app/render/why.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>

#include "app/render/amounts.h"
#include "app/render/scores.h"
#include "app/render/words.h"

namespace podium::render {
namespace {

constexpr std::size_t kColumns = 4, kWideColumns = 10, kVictimsNamed = 4, kAttempts = 5;

std::string points(const Report& report) {
  const auto& choice = *report.choice;
  if (!choice.score) return {};
  auto out = ": " + counted(static_cast<std::size_t>(std::max<std::int64_t>(0, *choice.score)), "point");
  if (report.nodes.feasible == 1) return out + ", the only node that fits";
  if (choice.tied > 1) out += fmt::format(", a tie of {} nodes, drawn by the pod's UID", choice.tied);
  return out;
}

std::string fitting_nodes(const Report& report) {
  const auto& nodes = report.nodes;
  const bool partly = nodes.evaluated > 0 && nodes.evaluated < nodes.total;
  return fmt::format("{} of {} fit{}.", nodes.feasible, counted(nodes.total, "node"),
                     partly ? fmt::format("; {} were evaluated", nodes.evaluated) : "");
}

std::string evicted(const Eviction& eviction) { return listed(eviction.pods, kVictimsNamed, eviction.total); }

std::string ago(const std::optional<Wall>& time, const Options& options) {
  if (!time || options.now < *time) return {};
  return age(std::chrono::duration_cast<std::chrono::seconds>(options.now - *time)) + " ago";
}

std::string earlier(const Report& report, const Options& options) {
  if (report.history.empty()) return {};
  std::vector<Cells> rows;
  for (const auto& attempt : report.history) {
    if (rows.size() == kAttempts) break;
    rows.push_back({ago(attempt.at, options), attempt.outcome,
                    attempt.reason.empty()
                        ? ""
                        : fmt::format("{} ({})", attempt.reason, counted(attempt.nodes, "node"))});
  }
  return "Earlier attempts:\n" + table(rows, {Align::left});
}

std::string given_devices(const Report& report) {
  if (report.devices.empty()) return {};
  std::vector<Cells> rows;
  for (const auto& device : report.devices) {
    rows.push_back({device.request, fmt::format("{}/{}", device.pool, device.name), device.driver,
                    "claim " + device.claim});
  }
  auto out = "Devices:\n" + table(rows, {Align::left});
  if (report.devices_total > rows.size())
    out += fmt::format("  and {} more\n", report.devices_total - rows.size());
  return out;
}

std::string placed(const Report& report, const std::string& subject, const Options& options) {
  const auto verb = report.is_question ? "would go to" : "is on";
  auto out = fmt::format("{} {} {}{}.\n", options.style.bold(subject), verb,
                         options.style.good(report.choice->node), points(report));
  if (report.preemption) {
    out += fmt::format("To make room, {} had to go.\n", evicted(*report.preemption));
  }
  const auto scores = score_table(report, options.wide ? kWideColumns : kColumns);
  out += fitting_nodes(report);
  if (!scores.empty())
    out += "  points = weight × score\n" + scores;
  else
    out += "\n";
  out += given_devices(report);
  if (const auto margin = lead(report); !margin.empty()) {
    out += margin + "\n";
  } else if (report.nodes.feasible > 1 && report.choice->tied == report.nodes.feasible) {
    out += "All nodes that fit have the same score.\n";
  }
  return out;
}

std::string preemption_words(const Report& report) {
  if (report.preemption) {
    return fmt::format("Preemption: {} on {} {} to make room.\n", evicted(*report.preemption),
                       report.preemption->node, report.is_question ? "would be evicted" : "are evicted");
  }
  const bool may_help =
      std::ranges::any_of(report.rejections, [](const Rejection& r) { return r.preemption_may_help; });
  return may_help ? "No pod of lower priority could make room.\n" : "Evicting other pods would not help.\n";
}

std::string pending(const Report& report, const std::string& subject, const Options& options) {
  auto out =
      options.style.bold(subject) + (report.is_question ? " " : " is pending: ") +
      options.style.bad(report.is_question ? "does not fit" : "no node fits") +
      fmt::format("{}.\n", report.nodes.total ? fmt::format(" ({})", counted(report.nodes.total, "node"))
                                              : std::string());
  if (report.rejections.empty()) {
    if (!report.message.empty()) out += report.message + "\n";
  } else {
    out += turned_down(report.rejections, report.rejections_total, options);
    out += preemption_words(report);
  }
  if (!report.is_question && report.attempts > 0) {
    const auto last = ago(report.decided_at, options);
    out +=
        fmt::format("{}{}.\n", counted(report.attempts, "attempt"), last.empty() ? "" : ", the last " + last);
  }
  return out;
}

// Lines of YAML below a fix.
std::string indented(std::string_view lines) {
  std::string out;
  for (std::size_t end = lines.find('\n'); end != lines.npos; end = lines.find('\n')) {
    out += fmt::format("    {}", lines.substr(0, end + 1));
    lines.remove_prefix(end + 1);
  }
  return out;
}

}  // namespace

std::string turned_down(const std::vector<Rejection>& rejections, std::size_t total, const Options& options) {
  if (rejections.empty()) return {};
  std::vector<Cells> rows;
  for (const auto& rejection : rejections) {
    auto words = reason_words(rejection);
    if (const auto least = shortfall_words(rejection); !least.empty()) words += "; " + least;
    auto examples = listed(rejection.examples, 3, rejection.nodes);
    rows.push_back({counted(rejection.nodes, "node"), std::move(words), std::move(examples)});
    if (options.wide) rows.back().push_back(fmt::format("{}: {}", rejection.plugin, rejection.reason));
  }
  auto out = "Turned down:\n" + table(rows, {Align::right, Align::left});
  if (total > rejections.size()) out += fmt::format("  and {} more reasons\n", total - rejections.size());
  return out;
}

std::string tried_fixes(const Report& report) {
  if (report.fixes.empty()) return {};
  std::string out = "What would let it run, each tried on a copy of the cluster's state:\n";
  for (const auto& fix : report.fixes) {
    out += "  " + (fix.message.empty() ? fix.type : fix.message);
    std::vector<std::string> then;
    if (!fix.node.empty()) then.push_back("on " + fix.node);
    if (fix.score)
      then.push_back(counted(static_cast<std::size_t>(std::max<std::int64_t>(0, *fix.score)), "point"));
    if (!then.empty()) out += fmt::format(" ({})", fmt::join(then, ", "));
    out += "\n";
    if (!fix.snippet.empty()) {
      out += indented(fix.snippet);
    } else if (!fix.fields.empty()) {
      out += "    " + fix.fields + "\n";
    }
  }
  return out;
}

std::string gated(const std::string& subject, const std::vector<std::string>& gates) {
  return fmt::format("{} waits for its scheduling gate{}: {}. No node was evaluated.\n", subject,
                     gates.size() == 1 ? "" : "s", fmt::join(gates, ", "));
}

std::string why(const Report& report, const std::string& subject, const Options& options) {
  const auto name = options.style.bold(subject);
  if (report.refused) return fmt::format("{}: {}: {}\n", name, options.style.bad("refused"), *report.refused);
  if (!report.gates.empty()) return gated(name, report.gates);
  // Another PreEnqueue plugin: DynamicResources, where the pod's claims are not there, or not there any more.
  if (report.outcome == "Gated") {
    return fmt::format("{} {}. No node was evaluated.\n", name, report.message) + earlier(report, options);
  }
  if (report.outcome == "Failed") {
    return fmt::format("{}: {}: {}\n", name, options.style.bad("the attempt failed"), report.message) +
           earlier(report, options);
  }
  if (report.outcome.empty()) return fmt::format("{}: the report has no outcome yet.\n", name);
  if (report.choice && (report.outcome == "Scheduled" || report.outcome == "Fits")) {
    return placed(report, subject, options) +
           turned_down(report.rejections, report.rejections_total, options) + earlier(report, options);
  }
  return pending(report, subject, options) + tried_fixes(report) + earlier(report, options);
}

namespace {

constexpr std::string_view kFitPlugin = "NodeResourcesFit";

std::string rejection_line(std::string_view plugin, const std::string& reason, const Options& options,
                           const std::vector<std::string>& taints = {}) {
  return fmt::format("  {} it {}{}{}\n", options.style.bad("✗"), reason_words(reason),
                     taint_words(taints, taints.size()),
                     options.wide ? fmt::format("  ({}: {})", plugin, reason) : "");
}

// Requested and free amounts: those that are short a line each, the others together on `passed`.
std::string resource_lines(const NodeVerdict& verdict, const Check& fit, const Options& options,
                           std::vector<std::string>& passed) {
  std::string out;
  std::vector<std::string> told;
  for (const auto& amount : verdict.resources) {
    const auto reason = "Insufficient " + amount.resource;
    const auto words = fmt::format("{} {} free", amount.resource,
                                   requested_of_free(amount.resource, amount.requested, amount.free));
    if (std::ranges::find(fit.reasons, reason) == fit.reasons.end()) {
      passed.push_back(words);
    } else {
      out += fmt::format("  {} {}\n", options.style.bad("✗"), words);
      told.push_back(reason);
    }
  }
  for (const auto& reason : fit.reasons) {
    if (std::ranges::find(told, reason) == told.end()) out += rejection_line(fit.plugin, reason, options);
  }
  if (fit.passes && verdict.resources.empty()) passed.push_back(filter_words(fit.plugin));
  return out;
}

// What each filter says of the node: what rejects the pod first, then what it passes.
std::string check_lines(const NodeVerdict& verdict, const Options& options) {
  std::string out;
  std::vector<std::string> amounts, passed;
  const auto is_of_check = [&](const std::string& reason) {
    return std::ranges::any_of(verdict.checks, [&](const Check& check) {
      return std::ranges::find(check.reasons, reason) != check.reasons.end();
    });
  };
  for (const auto& reason : verdict.reasons) {
    if (!is_of_check(reason)) out += rejection_line(verdict.plugin, reason, options);
  }
  for (const auto& check : verdict.checks) {
    if (check.plugin == kFitPlugin) {
      out += resource_lines(verdict, check, options, amounts);
    } else if (check.passes) {
      passed.push_back(filter_words(check.plugin));
    } else {
      for (const auto& reason : check.reasons)
        out += rejection_line(check.plugin, reason, options, check.taints);
    }
  }
  for (const auto& line : {amounts, passed}) {
    if (line.empty()) continue;
    out += " ";
    for (const auto& words : line) out += fmt::format(" {} {} ", options.style.good("✓"), words);
    out.back() = '\n';
  }
  return out;
}

// How the node would rank with the first fix for it.
std::string fixed_rank(const Report& report, const NodeVerdict& verdict) {
  if (!report.choice || !report.choice->score) return {};
  const auto fix = std::ranges::find_if(
      report.fixes, [&](const Step& each) { return each.node == verdict.node && each.score; });
  if (fix == report.fixes.end()) return {};
  const auto more = *fix->score - *report.choice->score;
  const auto& name = fix->message.empty() ? fix->type : fix->message;
  if (more == 0)
    return fmt::format("With \"{}\", {} has as many points as {}.\n", name, verdict.node,
                       report.choice->node);
  return fmt::format("With \"{}\", {} has {} {} than {}.\n", name, verdict.node,
                     counted(static_cast<std::size_t>(more > 0 ? more : -more), "point"),
                     more > 0 ? "more" : "fewer", report.choice->node);
}

}  // namespace

bool is_unknown_node(const NodeVerdict& verdict) { return verdict.code == "UnknownNode"; }

std::string why_node(const Report& report, const std::string& subject, const Options& options) {
  if (report.refused) return why(report, subject, options);
  std::string ranks;
  std::string out;
  for (const auto& verdict : report.verdicts) {
    const auto node = options.style.bold(verdict.node);
    if (is_unknown_node(verdict)) {
      out += fmt::format("There is no node {}.\n", node);
      continue;
    }
    if (!verdict.fits) {
      out += fmt::format("{}: {} turns {} down.\n", options.style.bad("No"), node, subject);
      out += check_lines(verdict, options);
      ranks += fixed_rank(report, verdict);
      if (!verdict.would_fit_with.empty()) {
        if (report.fixes.empty()) out += fmt::format("It would fit with {}.\n", verdict.would_fit_with);
      } else if (report.fixes.empty()) {
        out += "No single change that podium tried would let it fit there.\n";
      }
      continue;
    }
    out += fmt::format("{}: {} fits {}", options.style.good("Yes"), subject, node);
    if (verdict.score) out += fmt::format(" with {} points", *verdict.score);
    if (verdict.rank) out += fmt::format(", rank {} of {}", *verdict.rank, report.nodes.feasible);
    out += ".\n" + check_lines(verdict, options);
    if (report.choice && report.choice->node != verdict.node && report.choice->score && verdict.score) {
      out +=
          fmt::format("{} is better by {}.\n", report.choice->node, *report.choice->score - *verdict.score);
    }
  }
  if (report.verdicts.empty()) out = fmt::format("{}: the answer has no verdict on that node.\n", subject);
  return out + tried_fixes(report) + ranks;
}

}  // namespace podium::render
