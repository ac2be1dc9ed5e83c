// ResourceQuotas: what the API server's quota admission counts of a new object, and which quotas count it.
//
// Amounts are by the names of quotas: "pods", "requests.cpu",
// "fast.storageclass.storage.k8s.io/requests.storage".
// Source: pkg/quota/v1/evaluator/core, apiserver/pkg/admission/plugin/resourcequota.
// Threads: values and pure functions. Errors: those of decoding; quota_refusal() has upstream's words.
#pragma once

#include <boost/json/value.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "api/values/device.h"
#include "api/values/objects.h"
#include "api/values/pod.h"
#include "base/result.h"

namespace podium::api {

// Read from the quota's status: the API server enforces the limits that the quota controller copied there.
struct ResourceQuota {
  ObjectMeta meta;
  std::vector<Requirement>
      scopes;  // spec.scopes (as Exists) and scopeSelector; all must hold; key: the scope
  ResourceList hard, used;
};
Result<ResourceQuota> decode_resource_quota(const boost::json::value&);

// A pod, and whether it has activeDeadlineSeconds, which nothing else depends on.
struct QuotaPod {
  const Pod& pod;
  bool has_deadline = false;
};

// What the object takes, sorted by name, without zeros.
ResourceList quota_usage(const Pod&);
ResourceList quota_usage(const PersistentVolumeClaim&);
// `extended_name`: the extended resource of a device class; empty: it has none.
ResourceList quota_usage(const ResourceClaim&,
                         const std::function<std::string(std::string_view)>& extended_name);

// Whether the object is in the quota's scopes, and the quota limits a resource of its kind.
bool is_counted(const ResourceQuota&, const QuotaPod&);
bool is_counted(const ResourceQuota&, const PersistentVolumeClaim&);
bool is_counted(const ResourceQuota&, const ResourceClaim&, const ResourceList& usage);

// The same, of the scopes alone.
bool is_in_scopes(const std::vector<Requirement>& scopes, const QuotaPod&);
bool is_in_scopes(const std::vector<Requirement>& scopes, const PersistentVolumeClaim&);

// Why a quota that counts the pod would refuse it regardless of the remaining amounts; empty: none would.
std::string quota_refusal(const ResourceQuota&, const Pod&);

// The name that a quota has for the number of objects of a kind: "count/deployments.apps".
std::string object_count(std::string_view plural, std::string_view group);
// Why the API server would not create one more object of the kind, in its words: "exceeded quota: …".
// Empty: it would create it.
std::string object_refusal(const ResourceQuota&, std::string_view plural, std::string_view group);

// An amount as manifests write it: bytes with a binary suffix.
std::string quota_text(std::string_view quota_resource, Quantity amount);

}  // namespace podium::api
