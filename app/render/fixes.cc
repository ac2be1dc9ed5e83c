#include "app/render/fixes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "api/values/resource_names.h"
#include "app/render/text.h"
#include "app/render/what_if.h"

namespace podium::render {
namespace {

namespace json = boost::json;

// A member that is a string; else "".
std::string_view string_of(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value && value->is_string() ? std::string_view(value->get_string()) : std::string_view();
}

// The tolerations that were tried, as lines of YAML to paste into the pod's spec.
std::string toleration_snippet(const std::vector<const json::object*>& taints) {
  std::string out;
  for (const auto* taint : taints) {
    const json::object toleration{{"key", string_of(*taint, "key")},
                                  {"operator", "Equal"},
                                  {"value", string_of(*taint, "value")},
                                  {"effect", string_of(*taint, "effect")}};
    out += "- " + flow(toleration) + "\n";
  }
  return out.empty() ? out : "tolerations:\n" + out;
}

// A resource whose limit is its request.
bool is_never_overcommitted(std::string_view resource) {
  return resource.contains('/') || api::is_huge_page(resource);
}

// The requests of a container, or of the pod.
struct Requests {
  std::string_view container;
  json::object requests, limits;
};

void add_request(const json::object& fields, std::vector<Requests>& all) {
  const auto resource = string_of(fields, "resource"), amount = string_of(fields, "atMost");
  if (resource.empty() || amount.empty()) return;
  const auto container = string_of(fields, "container");
  auto found = std::ranges::find(all, container, &Requests::container);
  if (found == all.end()) found = all.insert(all.end(), {container, {}, {}});
  found->requests[resource] = amount;
  if (is_never_overcommitted(resource)) found->limits[resource] = amount;
}

std::string request_snippets(const std::vector<Requests>& all) {
  std::string out;
  for (const auto& each : all) {
    json::object resources{{"requests", each.requests}};
    if (!each.limits.empty()) resources["limits"] = each.limits;
    out += fmt::format("resources: {}", flow(resources));
    if (each.container.empty())
      out += "  # of the pod's spec";
    else if (all.size() > 1)
      out += fmt::format("  # {}", flow(json::value(each.container)));
    out += "\n";
  }
  return out;
}

std::string priority_snippet(const json::object& fields) {
  if (const auto name = string_of(fields, "priorityClassName"); !name.empty())
    return fmt::format("priorityClassName: {}\n", flow(json::value(name)));
  const auto* priority = fields.if_contains("priority");
  if (!priority || !priority->is_int64()) return {};
  return fmt::format("It needs a PriorityClass with a value of at least {}.\n", priority->get_int64());
}

// The changes of the fix: itself, or those of a pair.
std::vector<std::pair<std::string_view, const json::object*>> changes_of(const explain::ReportFix& fix) {
  const auto* changes = fix.fields.if_contains("changes");
  if (fix.type != "Pair" || !changes || !changes->is_array()) return {{fix.type, &fix.fields}};
  std::vector<std::pair<std::string_view, const json::object*>> out;
  for (const auto& change : changes->get_array()) {
    if (const auto* fields = change.if_object()) out.emplace_back(string_of(*fields, "type"), fields);
  }
  return out;
}

std::string indented(std::string_view lines) {
  std::string out;
  for (std::size_t end = lines.find('\n'); end != lines.npos; end = lines.find('\n')) {
    out += fmt::format("    {}", lines.substr(0, end + 1));
    lines.remove_prefix(end + 1);
  }
  return out;
}

std::string lines_of(const explain::ReportFix& fix, std::size_t asked) {
  return fmt::format("  {}{}\n", fix.message.empty() ? fix.type : fix.message, fix_outcome(fix, asked)) +
         indented(fix_snippet(fix));
}

// `only_fit`: a quota allows no more pods with any of the fixes, so those that fit may not run. Each fix says
// what the quota allows.
std::string heading(std::size_t asked, bool only_fit = false) {
  return fmt::format("What would let {} {}, each tried on a copy of the cluster's state:\n",
                     asked > 1 ? "more" : "it", only_fit ? "fit on the nodes" : "run");
}

// With the fix, as the quotas allow.
std::size_t running_with(const explain::ReportFix& fix) {
  return fix.quota.empty() ? fix.fitting : std::min(fix.fitting, fix.quota_allows);
}

}  // namespace

std::string no_fix_words(const explain::ReportAnswer& answer) {
  return answer.no_fix_helps ? "No single change and no pair of changes that podium tries would help.\n" : "";
}

std::string why_no_fixes(const Report& report) {
  const auto& answer = answer_of(report);
  const auto* quota = explain::exceeded_quota(answer);
  if (!quota || !answer.fixes.empty() || answer.no_fix_helps || answer.fitting < answer.asked) return {};
  return fmt::format("No smaller request would help: the nodes have room, and only quota {} is in the way.\n",
                     quota->name);
}

std::string fix_snippet(const explain::ReportFix& fix) {
  std::string out;
  std::vector<Requests> requests;
  std::vector<const json::object*> taints;
  const auto changes = changes_of(fix);
  std::size_t shown = 0, last = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const auto& [type, fields] = changes[i];
    const auto size = out.size();
    const auto* taint = fields->if_contains("taint");
    const bool is_toleration = type == "TolerateTaint" && taint && taint->is_object();
    const bool is_request = type == "RequestLess";
    if (is_toleration) taints.push_back(&taint->get_object());
    if (type == "RaisePriority") out += priority_snippet(*fields);
    if (is_request) add_request(*fields, requests);
    if (is_toleration || is_request || out.size() > size) ++shown, last = i;
  }
  out += toleration_snippet(taints) + request_snippets(requests);
  // A user who pastes the lines must not think that they are both changes.
  if (changes.size() == 2 && shown == 1)
    return fmt::format("# only the {} of the two changes:\n{}", last == 0 ? "first" : "second", out);
  return out;
}

std::string fix_outcome(const explain::ReportFix& fix, std::size_t asked) {
  if (!fix.quota.empty()) {
    const auto count = fix.fitting >= asked && asked > 1 ? fmt::format("all {}", asked)
                       : asked > 1 ? fmt::format("{}{}", fix.may_be_more ? "at least " : "", fix.fitting)
                                   : std::string("it");
    return " → " + room_and_quota(count, fix.quota, fix.quota_allows);
  }
  if (asked > 1 && fix.fitting >= asked) return fmt::format(" → all {} fit", asked);
  if (asked > 1 && fix.fitting > 0)
    return fmt::format(" → {}{} of {} {}", fix.may_be_more ? "at least " : "", fix.fitting, asked,
                       fit(fix.fitting));
  std::vector<std::string> then;
  const bool names_node = fix.type == "RaisePriority";  // "…: it would preempt 1 pod on n1"
  if (!fix.node.empty() && !names_node) then.push_back("on " + fix.node);
  if (fix.score)
    then.push_back(counted(static_cast<std::size_t>(std::max<std::int64_t>(0, *fix.score)), "point"));
  return then.empty() ? std::string() : fmt::format(" ({})", fmt::join(then, ", "));
}

std::string tried_fixes(const Report& report) {
  const auto& answer = answer_of(report);
  if (answer.fixes.empty()) return no_fix_words(answer);
  const bool more_run = std::ranges::any_of(answer.fixes, [&](const explain::ReportFix& fix) {
    return running_with(fix) > explain::running(answer);
  });
  auto out = heading(answer.asked, explain::exceeded_quota(answer) && !more_run);
  for (const auto& fix : answer.fixes) out += lines_of(fix, answer.asked);
  return out;
}

std::string tried_fixes_of_nodes(const Report& report) {
  const auto& answer = answer_of(report);
  if (answer.fixes.empty()) return no_fix_words(answer);
  std::string here, elsewhere;
  for (const auto& fix : answer.fixes) {
    const bool is_here =
        std::ranges::find(answer.verdicts, fix.node, &explain::NodeVerdict::node) != answer.verdicts.end();
    // A fix for a named node is about that node, for any number of replicas.
    auto lines = lines_of(fix, is_here ? 1 : answer.asked);
    (is_here ? here : elsewhere) += lines;
  }
  if (!here.empty()) here = heading(1) + here;
  return here + (elsewhere.empty() ? "" : "Elsewhere:\n" + elsewhere);
}

std::string short_fix(const explain::ReportFix& fix) {
  std::vector<std::string> parts;
  for (const auto& [type, fields] : changes_of(fix)) {
    const auto* taint = fields->if_contains("taint");
    if (type == "RequestLess") {
      parts.push_back(
          fmt::format("{} request {}", string_of(*fields, "resource"), string_of(*fields, "atMost")));
    } else if (type == "TolerateTaint" && taint && taint->is_object()) {
      const auto value = string_of(taint->get_object(), "value");
      parts.push_back(fmt::format("tolerate {}{}{}", string_of(taint->get_object(), "key"),
                                  value.empty() ? "" : "=", value));
    } else {
      return fix.message.empty() ? fix.type : fix.message;
    }
  }
  return fmt::format("{}", fmt::join(parts, " and "));
}

}  // namespace podium::render
