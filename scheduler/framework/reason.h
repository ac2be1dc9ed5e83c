// Reason: why a plugin rejects a pod. A code for programs, its topics, and kube-scheduler's text.
//
// One table (reason.cc) has the name, kube-scheduler's text and plain words of each code. A plugin gives the
// code and its topics; code that shows a reason to users asks for its words. No code derives a reason from
// its text.
//
// Threads: values and pure functions. Errors: none.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace podium::framework {

enum class ReasonCode : std::uint8_t {
  other,  // of a foreign plugin, of an extender, or a failure: the text only
  claim_class_not_found,
  claim_deleted,
  claim_in_use,
  claim_invalid,
  claim_not_bound,
  claim_not_created,
  claim_not_found,
  claim_of_another_pod,
  csi_driver_missing,
  device_class_not_found,
  device_pool_invalid,
  disk_conflict,
  enforced_affinity_mismatch,
  excluded_by_name,
  existing_pod_anti_affinity,
  host_port_in_use,
  insufficient_devices,
  insufficient_resource,
  insufficient_storage,
  no_volume_to_bind,
  node_affinity_conflict,
  node_feature_missing,
  node_name_mismatch,
  node_selector_mismatch,
  node_unschedulable,
  pod_affinity,
  pod_anti_affinity,
  resource_claim_deleted,
  resource_claim_elsewhere,
  resource_claim_in_flight,
  resource_claim_invalid,
  resource_claim_left_over,
  resource_claim_not_created,
  resource_claim_not_found,
  resource_claim_of_another_pod,
  resource_not_offered,
  scheduling_gated,
  storage_class_not_found,
  too_many_pods,
  too_many_volumes,
  topology_label_missing,
  topology_spread_skew,
  untolerated_taint,
  volume_affinity_mismatch,
  volume_not_found,
  volume_zone_mismatch,
};

// The topics of a reason.
enum class Topic : std::uint8_t { resource, claim, storage_class, volume, device_class, request, driver };
using Topics = std::vector<std::pair<Topic, std::string>>;
// The first name of that topic; empty if there is none.
std::string_view named(const Topics& about, Topic topic);

struct Reason {
  ReasonCode code = ReasonCode::other;
  std::string text;   // kube-scheduler's
  Topics about = {};  // the names in its words, in any order

  Reason() = default;
  // Only a text, as foreign plugins give it.
  Reason(std::string text_) : text(std::move(text_)) {}
  Reason(const char* text_) : text(text_) {}
  // With the code's own text.
  explicit Reason(ReasonCode code_, Topics about_ = {});
  // With a text that kube-scheduler composes in this case.
  Reason(ReasonCode code_, std::string text_, Topics about_ = {})
      : code(code_), text(std::move(text_)), about(std::move(about_)) {}

  bool operator==(const Reason&) const = default;
};

// A row of the table. In `text` and `words`, "{claim}" and the like are placeholders for the topic.
struct ReasonRow {
  ReasonCode code;
  std::string_view name;   // "InsufficientResource"; stable, for programs
  std::string_view text;   // kube-scheduler's; empty: plugins compose it
  std::string_view words;  // plain: what a node does, "is cordoned", or, of the pod, a clause: "its claim …"
  bool is_of_pod = false;  // the pod itself is the cause, on any node
};
std::span<const ReasonRow> reason_rows();
const ReasonRow& row_of(ReasonCode code);
// Null: no code has this name. For reports, which a newer podium may have written.
const ReasonRow* find_reason(std::string_view name);

// The text with the names filled in, without those that are unknown.
std::string fill(std::string_view text, const Topics& about);

}  // namespace podium::framework
