// Plain words for plugins and rejections, for readers who know pods but not plugins. The words of reasons are
// explain/report/reason_words.h's; this adds the numbers and names.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "app/render/report.h"
#include "explain/report/main_rejection.h"

namespace podium::render {

// Names of strategies with their words, for the page.
using Word = std::pair<std::string_view, std::string_view>;
std::span<const Word> strategy_table();

// The subject of a scoring strategy: "taints", "cpu and memory".
std::string strategy_words(std::string_view plugin);

// The subject of a filter that a node passes: "taints", "host ports".
std::string filter_words(std::string_view plugin);

// The reason of a rejection, with its taints: "have a taint …: gpu=a100:NoSchedule". The verb agrees with the
// number of nodes.
std::string rejection_words(const explain::ReportRejection& rejection);
// The same after `nodes`, "54 of 66 nodes": "54 of 66 nodes do not have enough free cpu". For a reason of the
// pod itself, only the reason; if no node has a label that it requires, "no node has disk=nvme".
std::string rejection_of(const std::string& nodes, const explain::ReportRejection& rejection);
// What gated the pod: "by a, b".
std::string gated_words(const explain::GatedTime& time);
// What held an earlier attempt: "63 nodes do not have enough free nvidia.com/gpu"; of an error, its text.
std::string attempt_words(const explain::ReportAttempt& attempt);
// "a:NoSchedule, node.kubernetes.io/not-ready (the node is not ready) and 2 more": first the taints that
// reserve nodes for some pods, then those of the nodes' states, without their effects.
std::string listed_taints(const std::vector<std::string>& taints, std::size_t most, std::size_t total);
// "…: a:NoSchedule, b:NoExecute and 2 more"; empty if there are none.
std::string taint_words(const std::vector<std::string>& taints, std::size_t total);
// "; its toleration for gpu has value a1000, the taint has a100"; empty if there is none.
std::string near_toleration_words(const std::optional<explain::NearToleration>& near);

// "closest: 500m cpu short", or "gpu: needs 4, 8 devices match, 6 in use, 2 free"; empty if the rejection is
// about neither resources nor devices.
std::string shortfall_words(const explain::ReportRejection& rejection);

// "its DaemonSet's pod agent-x stays on n1 until this one is ready (maxSurge)"; empty: there is no such pod.
std::string pod_before_words(const explain::ReportStatus& status);
std::string pod_before_line(const explain::ReportStatus& status);  // the same as a sentence

// ", but it is a static pod: the kubelet runs it again, so its room does not become free"; empty if none is.
std::string static_pods_words(const explain::Preempted& preempted);
// "the PodDisruptionBudget shop/db"; empty if the victims violate none.
std::string violated_budgets(const explain::Preempted& preempted);
std::string violated_budgets_words(const explain::Preempted& preempted);  // the same after ", violating "

// "Quota q (namespace shop): pods 143/150, requests.cpu 292/200: exceeded from replica 54 on."
std::string quota_line(const explain::QuotaAnswer& quota, std::string_view ns, std::size_t asked);

// The missing amount: "54.25 cpu", "2.75Gi memory", "1 pod"; empty if no resource is short.
std::string missing_words(const explain::ReportRejection& rejection);

// Whether the pod preempts nothing now, since pods that were evicted for it still terminate.
bool evicts_no_more(const explain::ReportStatus& status);

}  // namespace podium::render
