#include "app/render/words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/render/amounts.h"
#include "app/render/text.h"

namespace podium::render {
namespace {

constexpr std::size_t kTaintsNamed = 3;

constexpr Word kStrategies[] = {
    {"TaintToleration", "taints"},
    {"NodeAffinity", "node affinity"},
    {"PodTopologySpread", "spread of the pods"},
    {"InterPodAffinity", "pod affinity"},
    {"NodeResourcesFit", "cpu and memory"},
    {"NodeResourcesBalancedAllocation", "cpu/memory balance"},
    {"ImageLocality", "image present"},
    {"VolumeBinding", "volumes"},
    {"DynamicResources", "devices"},
};

constexpr Word kFilters[] = {
    {"NodeUnschedulable", "not cordoned"},
    {"NodeName", "the node's name"},
    {"TaintToleration", "taints"},
    {"NodeAffinity", "node selector and affinity"},
    {"NodePorts", "host ports"},
    {"NodeResourcesFit", "room for one more pod"},
    {"VolumeRestrictions", "disks"},
    {"NodeVolumeLimits", "number of volumes"},
    {"VolumeBinding", "volumes"},
    {"VolumeZone", "zone of the volumes"},
    {"PodTopologySpread", "spread of the pods"},
    {"InterPodAffinity", "pod affinity"},
    {"DynamicResources", "devices"},
    {"NodeDeclaredFeatures", "node features"},
};

// By the beginning of the reason; longer ones first where one begins with another.
constexpr Word kReasons[] = {
    {"Too many pods", "already runs its maximum number of pods"},
    {"node(s) had untolerated taint", "has a taint that the pod does not tolerate"},
    {"node(s) were unschedulable", "is cordoned"},
    {"node(s) didn't satisfy plugin", "is not among the nodes that the pod names"},
    {"node(s) didn't match Pod's node affinity/selector",
     "does not match the pod's node selector or affinity"},
    {"node(s) didn't match scheduler-enforced node affinity",
     "does not match the node affinity of the scheduler's configuration"},
    {"node(s) didn't match Pod's required features", "does not have the features that the pod needs"},
    {"node(s) didn't match pod topology spread constraints (missing required label)",
     "does not have the label of a topology spread constraint"},
    {"node(s) didn't match pod topology spread constraints", "would spread the pods too unevenly"},
    {"node(s) didn't match pod affinity rules", "does not have a pod that the pod's affinity requires"},
    {"node(s) didn't match pod anti-affinity rules", "has a pod that the pod's anti-affinity excludes"},
    {"node(s) didn't satisfy existing pods anti-affinity rules",
     "has a pod whose anti-affinity excludes this pod"},
    {"node(s) didn't have free ports", "has a pod that uses the same host port"},
    {"node(s) didn't match the requested node name", "is not the node that spec.nodeName names"},
    {"node(s) had no available volume zone", "is not in the zone of the pod's volume"},
    {"node(s) didn't match PersistentVolume's node affinity", "cannot reach the pod's volume"},
    {"node(s) didn't find available persistent volumes to bind", "has no volume for the pod's claim"},
    {"node(s) did not have enough free storage", "does not have enough free storage for the pod's claim"},
    {"node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)",
     "is not usable: a claim of the pod is bound to a volume that does not exist"},
    {"node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod",
     "cannot use the volume: another pod uses it as ReadWriteOncePod"},
    {"node(s) had no available disk", "cannot use the disk: another pod uses it"},
    {"node(s) exceed max volume count", "already has its maximum number of volumes"},
    {"cannot allocate all claims", "does not have enough free devices for the pod's claims"},
    {"resourceclaim not available on the node", "cannot reach the devices that the pod's claim has"},
    {"invalid resource pools were encountered",
     "does not have enough free devices, and a driver's resource pool is invalid"},
    {"pod has unbound immediate PersistentVolumeClaims",
     "is not usable: a claim of the pod is not bound to a volume yet"},
};

std::string_view find(std::span<const Word> words, std::string_view text) {
  const auto found =
      std::ranges::find_if(words, [&](const Word& word) { return text.starts_with(word.first); });
  return found == words.end() ? std::string_view() : found->second;
}

}  // namespace

std::span<const Word> strategy_table() { return kStrategies; }
std::span<const Word> reason_table() { return kReasons; }

std::string strategy_words(std::string_view plugin) {
  const auto exact = std::ranges::find(kStrategies, plugin, &Word::first);
  return std::string(exact == std::end(kStrategies) ? plugin : exact->second);
}

std::string filter_words(std::string_view plugin) {
  const auto exact = std::ranges::find(kFilters, plugin, &Word::first);
  return std::string(exact == std::end(kFilters) ? plugin : exact->second);
}

std::string reason_words(std::string_view reason) {
  constexpr std::string_view kInsufficient = "Insufficient ";
  if (reason.starts_with(kInsufficient)) {
    return fmt::format("does not have enough free {}", reason.substr(kInsufficient.size()));
  }
  const auto words = find(kReasons, reason);
  if (words.empty()) return std::string(reason);
  // The taint itself, where the reason names it: "node(s) had untolerated taint {gpu: true}".
  const auto brace = reason.find('{');
  if (brace == std::string_view::npos) return std::string(words);
  return fmt::format("{}: {}", words, reason.substr(brace));
}

std::string taint_words(const std::vector<std::string>& taints, std::size_t total) {
  return taints.empty() ? std::string() : ": " + listed(taints, kTaintsNamed, total);
}

std::string reason_words(const Rejection& rejection) {
  return reason_words(rejection.reason) + taint_words(rejection.taints, rejection.taints_total);
}

namespace {

std::string device_words(const DeviceCounts& counts) {
  if (counts.matched == 0) return fmt::format("{}: no device matches", counts.request);
  auto out = fmt::format("{}: {} match{}", counts.request, counted(counts.matched, "device"),
                         counts.matched == 1 ? "es" : "");
  const auto taken = counts.in_use + counts.tainted + counts.too_small;
  const auto free = counts.matched - std::min(counts.matched, taken);
  const std::pair<std::size_t, std::string_view> parts[] = {{counts.in_use, "in use"},
                                                            {counts.tainted, "tainted"},
                                                            {counts.too_small, "too small"},
                                                            {free, "free"}};
  for (const auto& [count, words] : parts) {
    if (count > 0) out += fmt::format(", {} {}", count, words);
  }
  return out;
}

}  // namespace

std::string shortfall_words(const Rejection& rejection) {
  if (!rejection.devices.empty()) {
    std::vector<std::string> requests;
    for (const auto& counts : rejection.devices) requests.push_back(device_words(counts));
    return fmt::format("{}", fmt::join(requests, "; "));
  }
  const auto missing = missing_words(rejection);
  return missing.empty() ? std::string() : "least short: " + missing;
}

std::string missing_words(const Rejection& rejection) {
  if (rejection.least.empty()) return {};
  if (rejection.resource == "pods" && rejection.least == "1") return "1 pod";
  return fmt::format("{} {}", rounded_up(rejection.resource, rejection.least), rejection.resource);
}

const Rejection* main_rejection(const std::vector<Rejection>& rejections) {
  const auto rank = [](const Rejection& r) { return std::pair(r.nodes, !shortfall_words(r).empty()); };
  const auto best = std::ranges::max_element(rejections, {}, rank);
  return best == rejections.end() ? nullptr : &*best;
}

}  // namespace podium::render
