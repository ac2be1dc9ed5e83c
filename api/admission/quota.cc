#include "api/admission/quota.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <vector>

#include "api/admission/limit_range.h"
#include "api/admission/quota_sums.h"
#include "api/decode/decode_parts.h"
#include "api/decode/decode_reader.h"
#include "api/values/defaults.h"
#include "api/values/resource_names.h"
#include "api/values/resource_sum.h"

namespace podium::api {
namespace {

constexpr std::string_view kRequests = "requests.", kDeviceClass = "deviceclass.resource.kubernetes.io/",
                           kStorageClass = ".storageclass.storage.k8s.io/",
                           kDevices = ".deviceclass.resource.k8s.io/devices";
constexpr std::int64_t kMostDevices = 32;  // of a claim, in the mode All. Source: AllocationResultsMaxSize

// Sums amounts by name.
class Usage {
 public:
  void add(std::string name, Quantity amount) {
    auto& sum = amounts_[std::move(name)];
    sum = sum + amount;
  }
  ResourceList list() const {
    ResourceList out;
    for (const auto& [name, amount] : amounts_) {
      if (!amount.is_zero()) out.emplace_back(name, amount);
    }
    return out;
  }

 private:
  std::map<std::string, Quantity> amounts_;
};

const Quantity kOne = Quantity::from_units(1);

// True if a device class may back this resource. Source: IsDRAExtendedResourceName.
bool is_extended(std::string_view name) {
  return (!is_native_resource(name) && !name.starts_with(kRequests)) || name.starts_with(kDeviceClass);
}

// Adds the pod's own amounts and overhead to those of its containers. Source: component-helpers PodRequests
// and PodLimits.
ResourceList sum_of_pod(const Pod& pod, ResourceList Container::* of_containers, const ResourceList& of_pod,
                        bool is_limit) {
  std::map<std::string, Quantity> sum;
  for (const auto& [name, amount] : aggregate_containers(pod, of_containers)) sum.emplace(name, amount);
  for (const auto& [name, amount] : of_pod) {
    if (is_supported_pod_level_resource(name)) sum.insert_or_assign(name, amount);
  }
  for (const auto& [name, amount] : pod.overhead) {
    const auto known = sum.find(name);
    if (known != sum.end() && !(is_limit && known->second.is_zero()))
      known->second = known->second + amount;
    else if (!is_limit)
      sum.emplace(name, amount);
  }
  return ResourceList::Items(sum.begin(), sum.end());
}

// What quotas count of requests and limits. Source: podComputeUsageHelper.
void add_compute(const ResourceList& requests, const ResourceList& limits, Usage& usage) {
  for (const auto& [name, amount] : requests) {
    const bool is_basic = name == "cpu" || name == "memory" || name == "ephemeral-storage";
    if (is_basic || is_huge_page(name)) usage.add(name, amount);
    if (is_basic || is_huge_page(name) || is_extended(name)) usage.add(std::string(kRequests) + name, amount);
  }
  for (const auto& [name, amount] : limits) {
    if (name == "cpu" || name == "memory" || name == "ephemeral-storage") usage.add("limits." + name, amount);
  }
}

bool is_of_pods(std::string_view name) {
  static constexpr std::array<std::string_view, 11> kNames = {"count/pods",
                                                              "cpu",
                                                              "memory",
                                                              "ephemeral-storage",
                                                              "requests.cpu",
                                                              "requests.memory",
                                                              "requests.ephemeral-storage",
                                                              "limits.cpu",
                                                              "limits.memory",
                                                              "limits.ephemeral-storage",
                                                              "pods"};
  if (std::ranges::find(kNames, name) != kNames.end() || is_huge_page(name)) return true;
  if (!name.starts_with(kRequests)) return false;
  const auto requested = name.substr(kRequests.size());
  return is_huge_page(requested) || !is_native_resource(name) || requested.starts_with(kDeviceClass);
}

bool is_of_claims(std::string_view name) {
  static constexpr std::array<std::string_view, 2> kNames = {"persistentvolumeclaims", "requests.storage"};
  if (name == "count/persistentvolumeclaims" || std::ranges::find(kNames, name) != kNames.end()) return true;
  return std::ranges::any_of(kNames, [&](std::string_view each) {
    return name.ends_with(std::string(kStorageClass) + std::string(each));
  });
}

template <typename Is>
bool limits_any(const ResourceQuota& quota, Is is) {
  return std::ranges::any_of(quota.hard, [&](const auto& each) { return is(std::string_view(each.first)); });
}

// Source: qos.ComputePodQOS. Pod-level amounts take precedence over those of containers.
bool is_best_effort(const Pod& pod) {
  const auto has_none = [](const ResourceList& list) {
    return std::ranges::none_of(list, [](const auto& each) {
      return (each.first == "cpu" || each.first == "memory") && each.second > Quantity();
    });
  };
  if (pod.has_pod_level_resources) return has_none(pod.pod_requests) && has_none(pod.pod_limits);
  const auto all_none = [&](const std::vector<Container>& containers) {
    return std::ranges::all_of(
        containers, [&](const Container& each) { return has_none(each.requests) && has_none(each.limits); });
  };
  return all_none(pod.containers) && all_none(pod.init_containers);
}

bool crosses_namespaces(const PodAffinity& affinity) {
  const auto crosses = [](const PodAffinityTerm& term) {
    return !term.namespaces.empty() || term.namespace_selector;
  };
  return std::ranges::any_of(affinity.required, crosses) ||
         std::ranges::any_of(affinity.preferred, crosses, &WeightedPodAffinityTerm::term);
}

// True if the scope selects this class; an empty name: the object names none.
bool holds_of(const Requirement& scope, const std::string& name) {
  return scope.matches(name.empty() ? nullptr : &name);
}

// Source: podMatchesScopeFunc. The API server allows other operators than Exists of these two only.
bool is_in_scope(const QuotaPod& of, const Requirement& scope) {
  const auto& pod = of.pod;
  if (scope.key == "Terminating") return of.has_deadline;
  if (scope.key == "NotTerminating") return !of.has_deadline;
  if (scope.key == "BestEffort") return is_best_effort(pod);
  if (scope.key == "NotBestEffort") return !is_best_effort(pod);
  if (scope.key == "PriorityClass") return holds_of(scope, pod.priority_class_name);
  if (scope.key == "CrossNamespacePodAffinity")
    return crosses_namespaces(pod.pod_affinity) || crosses_namespaces(pod.pod_anti_affinity);
  return false;
}

std::int64_t devices_of(const ExactRequest& request) {
  if (request.mode == ExactRequest::Mode::exact_count) return request.count;
  return request.mode == ExactRequest::Mode::all ? kMostDevices : 0;
}

// "memory" of "requests.memory", "storage" of "gold.storageclass.storage.k8s.io/requests.storage".
std::string_view counted_by(std::string_view quota_resource) {
  return quota_resource.substr(quota_resource.rfind('.') + 1);
}

}  // namespace

Result<ResourceQuota> decode_resource_quota(const boost::json::value& value) {
  detail::Reader reader(value);
  const auto root = reader.root();
  ResourceQuota quota;
  quota.meta = detail::read_meta(root["metadata"], detail::Annotations::left_out);
  const auto spec = root["spec"];
  spec["scopes"].each([&](detail::Field scope) {
    quota.scopes.push_back({.key = std::string(scope.text()), .op = Requirement::Op::exists, .values = {}});
  });
  spec["scopeSelector"]["matchExpressions"].list(quota.scopes, [](detail::Field item) {
    auto scope = detail::read_requirement(item, false);
    item["scopeName"].into(scope.key);
    return scope;
  });
  root["status"]["hard"].into(quota.hard);
  root["status"]["used"].into(quota.used);
  return reader.finish(std::move(quota));
}

ResourceList quota_usage(const Pod& pod) {
  Usage usage;
  usage.add("count/pods", kOne);
  usage.add("pods", kOne);
  add_compute(sum_of_pod(pod, &Container::requests, pod.pod_requests, false),
              sum_of_pod(pod, &Container::limits, pod.pod_limits, true), usage);
  return usage.list();
}

ResourceList quota_usage(const PersistentVolumeClaim& claim) {
  Usage usage;
  const auto storage = Quantity::from_units(claim.request.value());  // whole bytes
  usage.add("count/persistentvolumeclaims", kOne);
  usage.add("persistentvolumeclaims", kOne);
  usage.add("requests.storage", storage);
  if (claim.storage_class && !claim.storage_class->empty()) {
    const auto of_class = *claim.storage_class + std::string(kStorageClass);
    usage.add(of_class + "persistentvolumeclaims", kOne);
    usage.add(of_class + "requests.storage", storage);
  }
  return usage.list();
}

// Counts, of alternative requests, the largest number of devices of each class.
ResourceList quota_usage(const ResourceClaim& claim,
                         const std::function<std::string(std::string_view)>& extended_name) {
  std::map<std::string, Quantity> by_class;
  for (const auto& request : claim.spec.requests) {
    std::map<std::string, std::int64_t> most;
    for (const auto& each : request.first_available) {
      auto& count = most[each.request.device_class];
      count = std::max(count, devices_of(each.request));
    }
    if (request.exactly) most[request.exactly->device_class] = devices_of(*request.exactly);
    for (const auto& [name, count] : most) {
      auto& sum = by_class[name];
      sum = sum + Quantity::from_units(count);
    }
  }
  Usage usage;
  usage.add("count/resourceclaims.resource.k8s.io", kOne);
  for (const auto& [name, devices] : by_class) {
    usage.add(name + std::string(kDevices), devices);
    usage.add(fmt::format("{}{}{}", kRequests, kDeviceClass, name), devices);
    if (const auto extended = extended_name(name); !extended.empty())
      usage.add(std::string(kRequests) + extended, devices);
  }
  return usage.list();
}

bool is_in_scopes(const std::vector<Requirement>& scopes, const QuotaPod& pod) {
  return std::ranges::all_of(scopes, [&](const auto& scope) { return is_in_scope(pod, scope); });
}

bool is_in_scopes(const std::vector<Requirement>& scopes, const PersistentVolumeClaim& claim) {
  return std::ranges::all_of(scopes, [&](const auto& scope) {
    return scope.key == "VolumeAttributesClass" && holds_of(scope, claim.attributes_class.value_or(""));
  });
}

bool is_counted(const ResourceQuota& quota, const QuotaPod& pod) {
  return limits_any(quota, is_of_pods) && is_in_scopes(quota.scopes, pod);
}

bool is_counted(const ResourceQuota& quota, const PersistentVolumeClaim& claim) {
  return limits_any(quota, is_of_claims) && is_in_scopes(quota.scopes, claim);
}

// Claims are in no scope.
bool is_counted(const ResourceQuota& quota, const ResourceClaim&, const ResourceList& usage) {
  return quota.scopes.empty() &&
         limits_any(quota, [&](std::string_view name) { return find_resource(usage, name) != nullptr; });
}

std::string quota_refusal(const ResourceQuota& quota, const Pod& pod) {
  if (!pod.pod_requests.empty() || !pod.pod_limits.empty()) return {};
  static constexpr std::array<std::string_view, 6> kNeeded = {"cpu",    "limits.cpu",   "limits.memory",
                                                              "memory", "requests.cpu", "requests.memory"};
  std::vector<std::string> lines;
  for (const auto name : kNeeded) {
    if (!find_resource(quota.hard, name)) continue;
    const bool is_limit = name.starts_with("limits.");
    const auto resource = name.substr(name.rfind('.') == name.npos ? 0 : name.rfind('.') + 1);
    std::set<std::string> without;
    for (const auto* containers : {&pod.containers, &pod.init_containers}) {
      for (const auto& each : *containers) {
        if (!find_resource(is_limit ? each.limits : each.requests, resource)) without.insert(each.name);
      }
    }
    if (!without.empty()) lines.push_back(fmt::format("{} for: {}", name, fmt::join(without, ",")));
  }
  return lines.empty() ? "" : fmt::format("must specify {}", fmt::join(lines, "; "));
}

std::string object_count(std::string_view plural, std::string_view group) {
  return fmt::format("count/{}{}{}", plural, group.empty() ? "" : ".", group);
}

std::string object_refusal(const ResourceQuota& quota, std::string_view plural, std::string_view group) {
  if (!quota.scopes.empty()) return {};  // of pods and claims
  const auto name = object_count(plural, group);
  const auto *hard = find_resource(quota.hard, name), *used = find_resource(quota.used, name);
  if (!hard || !used || *used + Quantity::from_units(1) <= *hard) return {};
  return fmt::format("exceeded quota: {0}, requested: {1}=1, used: {1}={2}, limited: {1}={3}",
                     quota.meta.name, name, used->text(), hard->text());
}

std::string quota_text(std::string_view quota_resource, Quantity amount) {
  return is_in_bytes(counted_by(quota_resource)) ? text_of_bytes(amount) : amount.text();
}

const ResourceList& UsageOfMany::of(const ResourceQuota& quota) {
  std::set<Scope> once;
  for (const auto& scope : quota.scopes) once.emplace(scope.key, scope.op, scope.values);
  const auto [sum_of_scopes, is_new] = by_scopes_.try_emplace({once.begin(), once.end()});
  if (!is_new) return sum_of_scopes->second;
  std::vector<Requirement> scopes;
  for (const auto& [key, op, values] : once) scopes.push_back({.key = key, .op = op, .values = values});
  ResourceSum sum;
  // The names in the sum point into the usages, so these are complete before it begins.
  while (of_pods_.size() < pods_.size() && has_time())
    of_pods_.push_back(quota_usage(pods_[of_pods_.size()].pod));
  while (of_claims_.size() < claims_.size() && has_time())
    of_claims_.push_back(quota_usage(*claims_[of_claims_.size()]));
  for (std::size_t i = 0; i < of_pods_.size() && has_time(); ++i) {
    if (is_in_scopes(scopes, pods_[i])) sum.add(of_pods_[i]);
  }
  for (std::size_t i = 0; i < of_claims_.size() && has_time(); ++i) {
    if (is_in_scopes(scopes, *claims_[i])) sum.add(of_claims_[i]);
  }
  return sum_of_scopes->second = sum.list();
}

}  // namespace podium::api
