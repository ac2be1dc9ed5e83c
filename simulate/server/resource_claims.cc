#include "simulate/server/resource_claims.h"

#include <algorithm>

#include "base/time.h"

namespace podium::simulate {
namespace {

const json::value* allocation_of(const json::value& claim) {
  const auto* found = find_at(claim, "/status/allocation");
  return found && found->is_object() ? found : nullptr;
}

bool has_new(const std::vector<std::string>& before, const std::vector<std::string>& after) {
  return std::ranges::any_of(after,
                             [&](const auto& one) { return std::ranges::find(before, one) == before.end(); });
}

std::vector<std::string> finalizers_of(const json::value& object) {
  std::vector<std::string> out;
  for (const auto& one : list_at(object, "/metadata/finalizers")) out.emplace_back(one.as_string());
  return out;
}

}  // namespace

std::string refused_claim(const json::value& before, const json::value& after) {
  const bool leaves = is_leaving(before);
  if (leaves && has_new(finalizers_of(before), finalizers_of(after)))
    return "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted";
  const auto *had = allocation_of(before), *has = allocation_of(after);
  if (!has && !users_of(after).empty())
    return "status.reservedFor: Forbidden: may not be specified when `allocated` is not set";
  if (leaves && has_new(users_of(before), users_of(after)))
    return "status.reservedFor: Forbidden: new entries may not be added while `deletionTimestamp` is set";
  if (had && has && *had != *has) return "status.allocation: Invalid value: field is immutable";
  return {};
}

std::vector<std::string> exclusive_devices(const json::value& claim) {
  std::vector<std::string> out;
  for (const auto& result : list_at(claim, "/status/allocation/devices/results")) {
    if (find_at(result, "/adminAccess") || find_at(result, "/shareID")) continue;
    out.push_back(text_at(result, "/driver") + "/" + text_at(result, "/pool") + "/" +
                  text_at(result, "/device"));
  }
  return out;
}

std::string allocated_node(const json::value& claim) {
  return text_at(claim, "/status/allocation/nodeSelector/nodeSelectorTerms/0/matchFields/0/values/0");
}

std::vector<std::string> users_of(const json::value& claim) {
  std::vector<std::string> out;
  for (const auto& user : list_at(claim, "/status/reservedFor")) out.push_back(text_at(user, "/uid"));
  return out;
}

bool is_reserved_for(const json::value& claim, std::string_view pod_uid) {
  const auto users = users_of(claim);
  return std::ranges::find(users, pod_uid) != users.end();
}

std::int64_t devices_asked(const json::value& claim) {
  return number_at(claim, "/spec/devices/requests/0/exactly/count");
}

bool has_conditions(const json::value& claim) {
  return std::ranges::any_of(list_at(claim, "/status/allocation/devices/results"), [](const auto& result) {
    return find_at(result, "/bindingConditions") != nullptr;
  });
}

Binding binding_of(const json::value& claim) {
  auto out = Binding::ready;
  for (const auto& result : list_at(claim, "/status/allocation/devices/results")) {
    if (!find_at(result, "/bindingConditions")) continue;
    std::string_view said;
    for (const auto& status : list_at(claim, "/status/devices")) {
      if (text_at(status, "/pool") != text_at(result, "/pool")) continue;
      if (text_at(status, "/device") != text_at(result, "/device")) continue;
      for (const auto& condition : list_at(status, "/conditions")) {
        if (text_at(condition, "/status") == "True") said = condition.at("type").as_string();
      }
    }
    if (said == kBroken) return Binding::failed;
    if (said != kReady) out = Binding::pending;
  }
  return out;
}

std::optional<std::vector<std::string>> claim_names(const json::value& pod) {
  std::vector<std::string> out;
  for (const auto& entry : list_at(pod, "/spec/resourceClaims")) {
    auto name = text_at(entry, "/resourceClaimName");
    for (const auto& made : list_at(pod, "/status/resourceClaimStatuses")) {
      if (text_at(made, "/name") == text_at(entry, "/name")) name = text_at(made, "/resourceClaimName");
    }
    if (name.empty()) return std::nullopt;
    out.push_back(std::move(name));
  }
  return out;
}

bool is_foreign(const json::value& claim, const json::value& pod) {
  const auto owner = text_at(claim, "/metadata/ownerReferences/0/uid");
  return !owner.empty() && owner != uid_of(pod);
}

StoredPtr remove_finally(Store& store, const Key& key, Wall now, const std::string& by) {
  const auto object = store.find(key);
  if (!object) return nullptr;
  if (finalizers_of(object->value).empty()) {
    store.remove(key, by);
    return nullptr;
  }
  if (is_leaving(object->value)) return object;
  auto leaving = object->value;
  auto& metadata = leaving.as_object()["metadata"].as_object();
  metadata["deletionTimestamp"] = format_time(now);
  metadata["deletionGracePeriodSeconds"] = 0;
  return store.update(key, std::move(leaving), by);
}

StoredPtr update_finally(Store& store, const Key& key, json::value object, const std::string& by) {
  const auto before = store.find(key);
  if (is_leaving(before->value)) {
    auto& metadata = object.as_object()["metadata"].as_object();
    metadata["deletionTimestamp"] = before->value.at("metadata").at("deletionTimestamp");
  }
  const bool ends =
      is_leaving(object) && finalizers_of(object).empty() && !finalizers_of(before->value).empty();
  if (!ends) return store.update(key, std::move(object), by);
  store.remove(key, by);
  return std::make_shared<const Stored>(std::move(object));
}

}  // namespace podium::simulate
