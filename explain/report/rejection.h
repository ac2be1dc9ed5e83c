// ReportRejection: a reason against nodes, as a report has it, and its fields.
//
// Threads: values. Errors: none.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "explain/report/fields.h"
#include "scheduler/framework/reason.h"
#include "scheduler/framework/report_facts.h"

namespace podium::explain {

template <>
struct Fields<framework::DeviceTally> {
  using Tally = framework::DeviceTally;
  static constexpr FieldList all{
      required("claimName", &Tally::claim),
      required("request", &Tally::request, {.bytes = 127}),
      required("matched", &Tally::matched),
      required("inUse", &Tally::in_use),
      required("tainted", &Tally::tainted),
      required("tooSmall", &Tally::too_small),
      field("taintRules", &Tally::taint_rules, {.items = 3}),
      field("wanted", &Tally::wanted),
      field("mostFree", &Tally::most_free),
      field("mostFreeNode", &Tally::most_free_node, Meaning::node),
  };
};

// The source of a part that is one of several ORed terms.
inline constexpr const char* kOneOfSeveralTerms = "nodeAffinityTerm";

// A part of the pod's node selector or required node affinity.
struct UnmetPart {
  std::string from, requirement;  // from: nodeName, nodeSelector, nodeAffinity or kOneOfSeveralTerms
  std::size_t nodes = 0;          // that meet this part, regardless of the other parts
  // If no node meets it: the values of the label on nodes.
  std::vector<std::string> values = {};  // at most 5, the most frequent first
  std::size_t values_total = 0;
  std::string missing_node = {};  // the node that it names and that does not exist; `values`: similar names
  std::string missing_key = {};   // the label of the part that no node has
  std::vector<std::string> near = {};  // at most 3: keys that resemble missing_key, else such values
};
template <>
struct Fields<UnmetPart> {
  static constexpr FieldList all{
      required("from", &UnmetPart::from, {.bytes = 63}),
      required("requirement", &UnmetPart::requirement, Meaning::text, {.bytes = 512}),
      required("nodeCount", &UnmetPart::nodes),
      counted("values", &UnmetPart::values, "valuesTotal", &UnmetPart::values_total, Meaning::domain,
              {.items = 5}),
      field("missingNode", &UnmetPart::missing_node),
      field("missingKey", &UnmetPart::missing_key, {.bytes = 317}),
      field("near", &UnmetPart::near, Meaning::domain, {.bytes = 317, .items = 3}),
  };
};

// A volume of the pod, and the label values of the nodes that reach it.
struct VolumePlace {
  std::string claim, volume, key;
  std::vector<std::string> values = {};  // at most 3
};
template <>
struct Fields<VolumePlace> {
  static constexpr FieldList all{
      required("claimName", &VolumePlace::claim),
      required("volumeName", &VolumePlace::volume),
      required("labelKey", &VolumePlace::key, {.bytes = 317}),
      field("values", &VolumePlace::values, {.items = 3}),
  };
};

// The missing amount of a resource.
struct MissingAmount {
  std::string resource, least;            // the least missing amount, as a quantity
  std::string node = {};                  // with this missing amount
  std::size_t nodes_without = 0;          // nodes without this resource
  std::vector<std::string> similar = {};  // if no node has it: at most 3 resources whose names resemble it
};
template <>
struct Fields<MissingAmount> {
  static constexpr FieldList all{
      required("resource", &MissingAmount::resource, Meaning::name, {.bytes = 317}),
      required("least", &MissingAmount::least, {.bytes = 32}),
      field("nodeName", &MissingAmount::node, Meaning::node),
      field("nodesWithout", &MissingAmount::nodes_without),
      field("similar", &MissingAmount::similar, {.bytes = 317, .items = 3}),
  };
};

// A toleration of the pod that differs from an untolerated taint in one part.
struct NearToleration {
  std::string part;            // value, effect or key
  std::string key;             // of the toleration
  std::string has, taint_has;  // this part of each; empty: a toleration or taint without a value
};
template <>
struct Fields<NearToleration> {
  static constexpr FieldList all{
      required("part", &NearToleration::part, {.bytes = 63}),
      required("key", &NearToleration::key, {.bytes = 317}),
      field("has", &NearToleration::has, {.bytes = 317}),
      field("taintHas", &NearToleration::taint_has, {.bytes = 317}),
  };
};

struct ReportRejection {
  std::string plugin, code, reason;  // plugin: empty if several plugins reject
  std::size_t nodes = 0;
  bool preemption_may_help = false;
  framework::Topics about = {};
  // Set for NodeSelectorMismatch and NodeNotFound, if no node fits: at most 8.
  std::vector<UnmetPart> parts = {};
  std::optional<MissingAmount> shortfall = {};
  std::vector<framework::DeviceTally> devices = {};  // of InsufficientDevices: at most 8 requests
  std::vector<std::string> taints = {};              // of UntoleratedTaint: at most 3, most nodes first
  std::size_t taints_total = 0;
  std::vector<std::string> examples = {};  // at most 3
  // Set for VolumeAffinityMismatch and VolumeZoneMismatch: two volumes of the pod that no node reaches both.
  std::vector<VolumePlace> apart = {};
  // If the class or the label of `about` does not exist: at most 3 whose names resemble it.
  std::vector<std::string> similar = {};
  std::optional<NearToleration> near_toleration = {};  // of UntoleratedTaint
};
template <>
struct Fields<ReportRejection> {
  static constexpr FieldList all{
      required("code", &ReportRejection::code, {.bytes = 63}),
      required("reason", &ReportRejection::reason, Meaning::text),
      required("nodeCount", &ReportRejection::nodes),
      required("preemptionMayHelp", &ReportRejection::preemption_may_help),
      field("plugin", &ReportRejection::plugin, Meaning::name),
      field("about", &ReportRejection::about),
      field("parts", &ReportRejection::parts, {.items = 8}),
      field("shortfall", &ReportRejection::shortfall),
      counted("taints", &ReportRejection::taints, "taintsTotal", &ReportRejection::taints_total,
              {.bytes = 392, .items = 3}),
      field("devices", &ReportRejection::devices, {.items = 8}),
      field("examples", &ReportRejection::examples, Meaning::node, {.items = 3}),
      field("apart", &ReportRejection::apart, {.items = 2}),
      field("similar", &ReportRejection::similar, Meaning::domain, {.bytes = 317, .items = 3}),
      field("nearToleration", &ReportRejection::near_toleration),
  };
};

}  // namespace podium::explain
