// Label selectors and node affinity, in JSON: those that are compiled for the cluster select what they select
// one by one.
#include <algorithm>
#include <set>
#include <string>

#include "api/decode/decode.h"
#include "api/text/parse_json.h"
#include "api/values/pod.h"
#include "fuzz/driver/require.h"
#include "fuzz/fuzz_cluster.h"
#include "fuzz/fuzzers.h"
#include "scheduler/plugins/shared/node_selector.h"
#include "scheduler/plugins/shared/selector_match.h"

namespace podium::fuzz {
namespace {

namespace json = boost::json;
using cluster::PodClass;

// As the documentation of metav1.LabelSelector has it.
bool requires_met(const api::Requirement& requirement, const api::Labels& labels) {
  using Op = api::Requirement::Op;
  const auto* value = labels.find(requirement.key);
  const bool listed = value && std::ranges::find(requirement.values, *value) != requirement.values.end();
  switch (requirement.op) {
    case Op::in:
      return listed;
    case Op::not_in:
      return !listed;
    case Op::exists:
      return value != nullptr;
    case Op::does_not_exist:
      return value == nullptr;
    default:
      return false;
  }
}

bool selects_labels(const api::LabelSelector& selector, const api::Labels& labels) {
  const auto equal = [&labels](const api::Labels::Label& entry) {
    const auto* value = labels.find(entry.first);
    return value && *value == entry.second;
  };
  return std::ranges::all_of(selector.match_labels, equal) &&
         std::ranges::all_of(selector.match_expressions,
                             [&labels](const auto& each) { return requires_met(each, labels); });
}

void check_label_selector(const json::value& value) {
  const auto selector = api::decode_label_selector(value, "labelSelector");
  if (!selector) {
    require(selector.error().message.starts_with("labelSelector"), "an error says where",
            selector.error().message);
    return;
  }
  const auto& classes = small_cluster().pod_classes();
  std::multiset<const PodClass*> found, wanted;
  plugins::Selector(*selector).each_match(classes, [&found](const PodClass& each) { found.insert(&each); });
  classes.each([&](const PodClass& each) {
    const bool wants = selects_labels(*selector, each.labels());
    // Gt and Lt are not valid there: see api/values/meta.h.
    require(selector->matches(each.labels()) == wants, "a selector selects what it says");
    if (wants) wanted.insert(&each);
  });
  if (planted() && wanted.size() > 1 && selector->match_expressions.size() > 2) found.insert(*found.begin());
  require(found == wanted, "the index finds the classes that match");
}

void check_node_affinity(const json::value& value) {
  const auto affinity = api::decode_node_affinity(value, "nodeAffinity");
  if (!affinity) return;
  api::Pod pod;
  pod.node_affinity = *affinity;
  const auto& before = small_cluster();
  const plugins::RequiredNodeAffinity compiled(pod, before);
  auto rows = plugins::chunk_of(before.present(), 0);
  compiled.narrow(0, rows);
  before.present().each([&](cluster::Row row) {
    const bool selected = ((rows[row / 64] >> (row % 64)) & 1) != 0;
    require(selected == plugins::required_affinity_selects(pod, *before.entry(row).node),
            "a compiled affinity selects what it says", before.node_name(row));
  });
}

}  // namespace

void selectors(std::string_view input) {
  const auto parsed = api::parse_json(input);
  const auto* object = parsed ? parsed->if_object() : nullptr;
  if (!object) return;
  if (const auto* selector = object->if_contains("labelSelector")) check_label_selector(*selector);
  if (const auto* affinity = object->if_contains("nodeAffinity")) check_node_affinity(*affinity);
  if (const auto* constraint = object->if_contains("topologySpreadConstraint"))
    (void)api::decode_topology_spread_constraint(*constraint, "topologySpreadConstraint");
}

}  // namespace podium::fuzz
