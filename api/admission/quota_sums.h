// UsageOfMany: what the quotas of a namespace count of its objects.
//
// Quotas with equal scopes count the same objects. So what an object takes is found once, and summed once for
// each set of scopes, not for each quota.
// Threads: values. Errors: none.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "api/admission/quota.h"

namespace podium::api {

class UsageOfMany {
 public:
  // The objects must outlive it. has_time() is asked for each object, if it is given.
  explicit UsageOfMany(std::vector<QuotaPod> pods, std::vector<const PersistentVolumeClaim*> claims = {},
                       std::function<bool()> has_time = {})
      : pods_(std::move(pods)), claims_(std::move(claims)), has_time_(std::move(has_time)) {}

  // Returns the sum over the objects in the quota's scopes, also of resources that it does not limit; over
  // fewer once has_time() is false.
  const ResourceList& of(const ResourceQuota& quota);

 private:
  using Scope = std::tuple<std::string, Requirement::Op, std::vector<std::string>>;
  bool has_time() const { return !has_time_ || has_time_(); }

  std::vector<QuotaPod> pods_;
  std::vector<const PersistentVolumeClaim*> claims_;
  std::function<bool()> has_time_;
  std::vector<ResourceList> of_pods_, of_claims_;  // in their order, as far as there was time
  std::map<std::vector<Scope>, ResourceList> by_scopes_;
};

}  // namespace podium::api
