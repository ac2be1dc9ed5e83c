// Plain words for reasons, by their codes.
//
// Threads: pure functions. Errors: none; a reason without a known code keeps its own text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "explain/report/what_if_parts.h"
#include "scheduler/framework/reason.h"

namespace podium::explain {

// The code of a verdict on a node that does not exist.
inline constexpr const char* kUnknownNode = "UnknownNode";

// The names in the reason, each cut at the CRD's bound: the claim of an ephemeral volume may have a longer
// name than the API server accepts.
framework::Topics about_of(const framework::Reason& reason);
Cause cause_of(const framework::Reason& reason);

// A predicate of a node, "is cordoned"; or, for a reason of the pod itself, a clause: "its claim x does not
// exist". `text` is kube-scheduler's, for unknown codes.
std::string reason_words(std::string_view code, const framework::Topics& about, std::string_view text);
std::string reason_words(const ReportRejection& rejection);
// "there is no node n1. Did you mean n-1?" `near`: similar names, the nearest first.
std::string no_node(const std::string& name, const std::vector<std::string>& near);
// The same for several nodes: "are cordoned". Clauses do not change.
std::string plural_of(std::string_view words);
// "pods 143/150, requests.cpu 292/200: exceeded from replica 54 on", for this number of replicas.
std::string quota_words(const QuotaAnswer& quota, std::size_t asked);
// The same for a question that tries how many fit: "now pods 2/5: allows 5 in all".
std::string quota_words_now(const QuotaAnswer& quota, std::size_t asked);
// Whether the pod itself is the cause, on any node.
bool is_of_pod(std::string_view code);

}  // namespace podium::explain
