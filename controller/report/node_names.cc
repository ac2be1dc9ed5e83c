#include "controller/report/node_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "controller/report/metadata.h"

namespace podium::controller {
namespace {

namespace json = boost::json;

constexpr const char* kWithheldMessage =
    "the attempt failed; its message is withheld with the names of nodes";

bool is_of_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_';
}

// Values of these labels are places, and no names of nodes.
bool is_place(std::string_view topology_key) {
  return topology_key == api::label::zone || topology_key == api::label::region;
}

std::vector<FirstFailure*> failures_of(ReportAnswer& answer) {
  std::vector<FirstFailure*> out;
  if (answer.first_failure) out.push_back(&*answer.first_failure);
  if (answer.room && answer.room->first_failure) out.push_back(&*answer.room->first_failure);
  return out;
}

void collect(const std::vector<ReportRejection>& rejections, std::set<std::string, std::less<>>& out) {
  for (const auto& each : rejections) {
    out.insert(each.examples.begin(), each.examples.end());
    if (each.shortfall && !each.shortfall->node.empty()) out.insert(each.shortfall->node);
  }
}

}  // namespace

NodeNames::NodeNames(IsNode is_node, const std::vector<std::string>& kept)
    : is_node_(std::move(is_node)), kept_(kept.begin(), kept.end()) {}

bool NodeNames::is_kept(std::string_view name) const {
  if (kept_.contains(name)) return true;
  const auto added = name.rfind("-new-");
  return added != name.npos && kept_.contains(name.substr(0, added));
}

const std::string& NodeNames::alias_of(const std::string& name) {
  const auto known = aliases_.find(name);
  if (known != aliases_.end()) return known->second;
  return aliases_.emplace(name, fmt::format("withheld-{}", aliases_.size() + 1)).first->second;
}

void NodeNames::name(std::string& field) {
  if (!field.empty() && !is_kept(field)) field = alias_of(field);
}

void NodeNames::text(std::string& message) {
  std::string out;
  for (std::size_t at = 0; at < message.size();) {
    const auto begin = message.begin() + static_cast<std::ptrdiff_t>(at);
    const auto word_end = std::find_if_not(begin, message.end(), is_of_word);
    std::string word(begin, word_end);
    at += word.size();
    // A full stop may end a sentence instead of a name.
    const auto is_name = [&] { return !word.empty() && (aliases_.contains(word) || is_node_(word)); };
    std::string stops;
    while (!is_name() && word.ends_with('.')) {
      word.pop_back();
      stops += '.';
    }
    if (is_name() && !is_kept(word)) word = alias_of(word);
    out += word + stops;
    for (; at < message.size() && !is_of_word(message[at]); ++at) out += message[at];
  }
  message = std::move(out);
}

void NodeNames::value(json::value& field) {
  if (auto* object = field.if_object()) {
    for (auto& [key, member] : *object) {
      if ((key == "nodeName" || key == "like") && member.is_string()) {
        std::string named(member.get_string());
        name(named);
        member = named;
      } else {
        value(member);
      }
    }
  } else if (auto* list = field.if_array()) {
    for (auto& item : *list) value(item);
  } else if (field.is_string()) {
    std::string told(field.get_string());
    text(told);
    field = told;
  }
}

void NodeNames::rejections(std::vector<ReportRejection>& all) {
  for (auto& each : all) {
    for (auto& example : each.examples) name(example);
    if (each.shortfall) name(each.shortfall->node);
    each.taints.clear();  // a value may be a node's name, also of a node that nothing else here names
    each.taints_total = 0;
  }
}

// The domains of a label that nodes do not share are nodes by another name.
void NodeNames::group(GroupAnswer& group) {
  if (is_place(group.topology_key)) return;
  for (auto& domain : group.domains) name(domain.name);
  name(group.domain);
}

void NodeNames::answer(ReportAnswer& answer) {
  for (auto& each : answer.placements) name(each.node);
  for (auto* failure : failures_of(answer)) rejections(failure->rejections);
  for (auto& verdict : answer.verdicts) name(verdict.node);
  if (answer.group) group(*answer.group);
  for (auto& change : answer.changes) {
    name(change.node);
    for (auto& pod : change.pods) name(pod.node);
    for (auto& full : change.fullest) name(full.node);
  }
  for (auto& fix : answer.fixes) name(fix.node);
}

void NodeNames::answer_texts(ReportAnswer& answer) {
  for (auto* failure : failures_of(answer)) {
    text(failure->message);
    text(failure->reason);
    for (auto& each : failure->rejections) text(each.reason);
  }
  for (auto& verdict : answer.verdicts) {
    for (auto& reason : verdict.reasons) text(reason);
    text(verdict.would_fit_with);
    for (auto& check : verdict.checks) {
      for (auto& reason : check.reasons) text(reason);
      check.taints.clear();
    }
  }
  for (auto& change : answer.changes) {
    text(change.message);
    for (auto& pod : change.pods) text(pod.reason);
  }
  for (auto& fix : answer.fixes) {
    text(fix.message);
    json::value fields = std::move(fix.fields);
    value(fields);
    fix.fields = std::move(fields.get_object());
  }
}

void NodeNames::withhold(ReportStatus& status) {
  if (status.choice) name(status.choice->node);
  for (auto& top : status.top_nodes) name(top.node);
  for (auto& strategy : status.strategies) {
    for (auto& top : strategy.top_nodes) name(top.node);
  }
  rejections(status.rejections);
  for (auto& device : status.devices) name(device.pool);
  if (status.preemption) name(status.preemption->node);
  if (status.answer) answer(*status.answer);
  // Texts come last: all names of fields are known then.
  text(status.message);
  for (auto& each : status.rejections) text(each.reason);
  for (auto& attempt : status.history) text(attempt.reason);
  for (auto& condition : status.conditions) text(condition.message);
  if (status.answer) answer_texts(*status.answer);
}

void withhold_node_names(ReportStatus& decision) {
  std::set<std::string, std::less<>> names;
  collect(decision.rejections, names);
  for (const auto& top : decision.top_nodes) names.insert(top.node);
  const bool is_placed = decision.outcome == kScheduled;
  std::vector<std::string> kept;
  if (is_placed && decision.choice) kept.push_back(decision.choice->node);
  // The claim's status has its pools, and who reads the pod's reports may read its claims.
  for (const auto& device : decision.devices) {
    if (is_placed) kept.push_back(device.pool);
  }
  if (decision.outcome == kFailed) {
    decision.message = kWithheldMessage;
    for (auto& condition : decision.conditions) condition.message = kWithheldMessage;
  }
  for (auto& attempt : decision.history) {
    if (attempt.outcome == kFailed) attempt.reason = kWithheldMessage;
  }
  NodeNames([&](std::string_view word) { return names.contains(word); }, kept).withhold(decision);
}

}  // namespace podium::controller
