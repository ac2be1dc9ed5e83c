// Claims: helpers for ResourceClaims: the API server's checks, devices, owners.
//
// Threads: pure functions, except for those that write to a Store. Errors: the returned text, if any.
#pragma once

#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulate/server/store.h"

namespace podium::simulate {

inline constexpr std::string_view kClaims = "resourceclaims";
inline constexpr std::string_view kTaintRules = "devicetaintrules";
inline constexpr const char* kDriver = "gpu.example.com";
// The conditions that devices may have: one makes a device ready, the other says that this failed.
inline constexpr std::string_view kReady = "example.com/attached", kBroken = "example.com/broken";

// The reason why the API server refuses a write; empty: it does not.
// Source: pkg/apis/resource/validation, validateResourceClaimStatusUpdate; apimachinery
// ValidateObjectMetaUpdate.
std::string refused_claim(const json::value& before, const json::value& after);

// Devices that the claim has for itself, as "driver/pool/device".
std::vector<std::string> exclusive_devices(const json::value& claim);
std::string allocated_node(const json::value& claim);  // empty: none, or any
bool is_reserved_for(const json::value& claim, std::string_view pod_uid);
std::vector<std::string> users_of(const json::value& claim);  // UIDs
std::int64_t devices_asked(const json::value& claim);
// The drivers' conditions of the claim's devices: ready, if none has a binding condition.
enum class Binding : std::uint8_t { ready, pending, failed };
Binding binding_of(const json::value& claim);
bool has_conditions(const json::value& claim);  // some of its devices

// The names of the pod's claims; nullopt: one does not exist yet. Empty: the pod has none.
std::optional<std::vector<std::string>> claim_names(const json::value& pod);
bool is_foreign(const json::value& claim, const json::value& pod);  // created for another pod

// A deletion, which waits for finalizers. An update, which ends a deleted object without finalizers.
StoredPtr remove_finally(Store& store, const Key& key, Wall now, const std::string& by);  // null: it is gone
StoredPtr update_finally(Store& store, const Key& key, json::value object, const std::string& by);

}  // namespace podium::simulate
