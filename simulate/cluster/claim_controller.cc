#include "simulate/cluster/claim_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <utility>

#include "simulate/server/resource_claims.h"

namespace podium::simulate {
namespace {

using namespace std::chrono_literals;

constexpr const char* kController = "claim-controller";

// A template's claim whose pod is deleted or finished.
bool outlives(const Store& store, const json::value& claim) {
  const auto uid = text_at(claim, "/metadata/ownerReferences/0/uid");
  if (uid.empty()) return false;
  const auto pod = store.find(
      {"pods", text_at(claim, "/metadata/namespace"), text_at(claim, "/metadata/ownerReferences/0/name")});
  return !pod || uid_of(pod->value) != uid || is_finished(pod->value);
}

}  // namespace

ClaimController::ClaimController(Store& store, Agenda& agenda, Dice dice)
    : store_(store), agenda_(agenda), dice_(dice) {
  store_.on_commit([this](const Commit& commit) { committed(commit); });
}

void ClaimController::committed(const Commit& commit) {
  if (commit.key.plural == "pods") return pod_committed(commit);
  if (commit.key.plural != kClaims || commit.type == Commit::Type::deleted) return;
  if (needs_sync(commit.after->value)) sync_later(commit.key);
}

void ClaimController::pod_committed(const Commit& commit) {
  const auto& pod = commit.after->value;
  if (!find_at(pod, "/spec/resourceClaims")) return;
  if (commit.type == Commit::Type::deleted || is_finished(pod)) {
    for (const auto& claim : store_.all(kClaims, commit.key.ns)) {
      if (needs_sync(claim->value))
        sync_later({std::string(kClaims), commit.key.ns, text_at(claim->value, "/metadata/name")});
    }
  } else if (commit.type == Commit::Type::added) {
    agenda_.after(dice_.between(5ms, 2s),
                  [this, key = commit.key, uid = uid_of(pod)] { make_claims(key, uid); });
  }
}

void ClaimController::make_claims(const Key& pod, const std::string& uid) {
  const auto there = store_.find(pod);
  if (!there || uid_of(there->value) != uid) return;
  json::array names;
  for (const auto& entry : there->value.at("spec").at("resourceClaims").as_array()) {
    const auto from = text_at(entry, "/resourceClaimTemplateName");
    if (from.empty()) continue;
    const auto name = fmt::format("t-{}-{}", pod.name, ++made_);
    store_.create({std::string(kClaims), pod.ns, name},
                  json::parse(fmt::format(R"({{"metadata":{{"annotations":
        {{"resource.kubernetes.io/pod-claim-name":"made"}},"ownerReferences":[{{"apiVersion":"v1","kind":"Pod",
        "name":"{}","uid":"{}","controller":true}}]}},"spec":{{"devices":{{"requests":[{{"name":"gpu",
        "exactly":{{"deviceClassName":"gpu","allocationMode":"ExactCount","count":{}}}}}]}}}},"status":{{}}}})",
                                          pod.name, uid, from == "two" ? 2 : 1)),
                  kController);
    names.push_back({{"name", text_at(entry, "/name")}, {"resourceClaimName", name}});
  }
  if (names.empty()) return;
  auto named = store_.find(pod)->value;
  named.as_object()["status"].as_object()["resourceClaimStatuses"] = std::move(names);
  store_.update(pod, std::move(named), kController);
}

bool ClaimController::is_used_by(const std::string& pod_uid, const std::string& ns) const {
  return std::ranges::any_of(store_.all("pods", ns), [&](const StoredPtr& pod) {
    return uid_of(pod->value) == pod_uid && !is_finished(pod->value);
  });
}

bool ClaimController::needs_sync(const json::value& claim) const {
  const auto ns = text_at(claim, "/metadata/namespace");
  const auto users = users_of(claim);
  const bool has_gone = std::ranges::any_of(users, [&](const auto& uid) { return !is_used_by(uid, ns); });
  return has_gone || (is_leaving(claim) && users.empty()) || outlives(store_, claim);
}

void ClaimController::sync_later(const Key& claim) {
  agenda_.after(dice_.between(5ms, 3s), [this, claim] { sync(claim); });
}

void ClaimController::sync(const Key& claim) {
  const auto there = store_.find(claim);
  if (!there) return;
  if (outlives(store_, there->value) && !is_leaving(there->value)) {
    remove_finally(store_, claim, agenda_.clock().wall(), kController);
    return;  // it is synced again as it leaves
  }
  const auto before = users_of(there->value);
  json::array valid;
  if (const auto* users = find_at(there->value, "/status/reservedFor")) {
    for (const auto& user : users->get_array()) {
      if (is_used_by(text_at(user, "/uid"), claim.ns)) valid.push_back(user);
    }
  }
  const bool drops = valid.size() < before.size();
  if (!drops && !(is_leaving(there->value) && valid.empty())) return;
  auto changed = there->value;
  auto& status = changed.as_object()["status"].as_object();
  if (valid.empty()) {
    for (const auto* field : {"reservedFor", "allocation", "devices"}) status.erase(field);
  } else {
    status["reservedFor"] = std::move(valid);
  }
  const bool is_free = !status.contains("allocation");
  store_.update(claim, std::move(changed), kController);
  if (is_free) agenda_.after(dice_.between(1ms, 20ms), [this, claim] { drop_finalizer(claim); });
}

void ClaimController::drop_finalizer(const Key& claim) {
  const auto there = store_.find(claim);
  if (!there || find_at(there->value, "/status/allocation")) return;
  if (!find_at(there->value, "/metadata/finalizers")) return;
  auto changed = there->value;
  changed.as_object()["metadata"].as_object().erase("finalizers");
  update_finally(store_, claim, std::move(changed), kController);
}

}  // namespace podium::simulate
