#include "explain/report/node_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "api/values/topology_labels.h"
#include "base/ascii.h"
#include "explain/report/reason_words.h"
#include "explain/report/visits.h"

namespace podium::explain {
namespace {

namespace json = boost::json;

constexpr const char* kWithheldMessage =
    "the attempt failed; its message is withheld, since it may name nodes";

bool is_of_word(char c) { return is_letter_or_digit(c) || c == '-' || c == '.' || c == '_'; }

// Values of these labels are places, not names of nodes.
bool is_place(std::string_view topology_key) {
  return topology_key == api::label::zone || topology_key == api::label::region;
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
    // A full stop may end the sentence and not belong to the name.
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
    std::string shown(field.get_string());
    text(shown);
    field = shown;
  }
}

// A value of a taint or a label, or the name of a DeviceTaintRule, may be a node's name, also of a node that
// nothing else in the report names.
void NodeNames::values(ReportStatus& status) {
  const auto clear = [this](std::vector<ReportRejection>& all) {
    for (auto& each : all) {
      each.taints.clear();
      each.taints_total = 0;
      each.near_toleration.reset();
      for (auto& [topic, named] : each.about) {
        if (topic == framework::Topic::node) name(named);
      }
      if (!framework::named(each.about, framework::Topic::label).empty()) each.similar.clear();
      for (auto& counts : each.devices) counts.taint_rules.clear();
      for (auto& volume : each.apart) {
        if (!is_place(volume.key)) volume.values.clear();
      }
      for (auto& part : each.parts) {
        part.values.clear();
        part.values_total = 0;
        part.near.clear();
      }
    }
  };
  clear(status.rejections);
  if (!status.answer) return;
  for (auto* failure : failures_of(*status.answer)) clear(failure->rejections);
  for (auto& verdict : status.answer->verdicts) {
    if (verdict.code == kUnknownNode) verdict.reasons = {no_node(verdict.node, {})};
    for (auto& check : verdict.checks) {
      check.taints.clear();
      check.near_toleration.reset();
      for (auto& part : check.unmet) part.value.clear();
    }
  }
}

void NodeNames::withhold(ReportStatus& status) {
  values(status);
  // If nodes do not share a label's values, its domains identify nodes.
  const bool has_places =
      status.answer && status.answer->group && is_place(status.answer->group->topology_key);
  each_text(status, [&](Meaning meaning, std::string& field) {
    if (meaning == Meaning::node || (meaning == Meaning::domain && !has_places)) name(field);
  });
  // Sentences come last, when the names from all fields are known.
  each_text(status, [&](Meaning meaning, std::string& field) {
    if (meaning == Meaning::text) text(field);
  });
  if (!status.answer) return;
  for (auto& fix : status.answer->fixes) {
    json::value fields = std::move(fix.fields);
    value(fields);
    fix.fields = std::move(fields.get_object());
  }
}

void withhold_node_names(ReportStatus& decision) {
  std::set<std::string, std::less<>> names;
  collect(decision.rejections, names);
  for (const auto& top : decision.top_nodes) names.insert(top.node);
  const bool is_placed = decision.outcome == kScheduled;
  std::vector<std::string> kept;
  if (is_placed && decision.choice) kept.push_back(decision.choice->node);
  // The claim's status names its pools, and a user who reads the pod's reports may also read its claims.
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

}  // namespace podium::explain
