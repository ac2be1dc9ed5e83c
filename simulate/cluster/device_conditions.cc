#include "simulate/cluster/device_conditions.h"

#include <algorithm>

#include "base/time.h"
#include "simulate/server/resource_claims.h"

namespace podium::simulate {
namespace {

using namespace std::chrono_literals;

constexpr const char* kConditionDriver = "condition-driver";

bool is_of(const json::value& status, const json::value& result) {
  return std::ranges::all_of(std::initializer_list<std::string_view>{"/driver", "/pool", "/device"},
                             [&](auto field) { return text_at(status, field) == text_at(result, field); });
}

}  // namespace

DeviceConditions::DeviceConditions(Store& store, Agenda& agenda, Dice dice)
    : store_(store), agenda_(agenda), dice_(dice) {
  store_.on_commit([this](const Commit& commit) { committed(commit); });
}

std::string_view DeviceConditions::of_device(const std::string& node, std::uint64_t device) {
  const auto [slow, is_new] = slow_.try_emplace({node, device});
  if (is_new || dice_.one_in(6)) slow->second = dice_.below(5) < 3;
  return slow->second ? R"(,"bindingConditions":["example.com/attached"],)"
                        R"("bindingFailureConditions":["example.com/broken"])"
                      : "";
}

void DeviceConditions::rest() {
  resting_ = true;
  for (const auto& claim : store_.all(kClaims)) {
    look_at({std::string(kClaims), text_at(claim->value, "/metadata/namespace"),
             text_at(claim->value, "/metadata/name")},
            claim->value);
  }
}

void DeviceConditions::committed(const Commit& commit) {
  if (commit.key.plural != kClaims || commit.type == Commit::Type::deleted) return;
  if (commit.before && find_at(commit.before->value, "/status/allocation")) return;
  look_at(commit.key, commit.after->value);
}

void DeviceConditions::look_at(const Key& claim, const json::value& object) {
  const auto* allocation = find_at(object, "/status/allocation");
  const auto* results = find_at(object, "/status/allocation/devices/results");
  if (!results || !results->is_array()) return;
  for (const auto& result : results->get_array()) {
    if (find_at(result, "/bindingConditions")) write_later(claim, result, *allocation);
  }
}

// Six of ten devices become ready, two fail, and two get no condition. A quarter is slow: some take longer
// than podium waits.
void DeviceConditions::write_later(const Key& claim, const json::value& result,
                                   const json::value& allocation) {
  const auto fate = dice_.below(10);
  const bool is_late = dice_.one_in(4);
  if (!resting_ && fate >= 8) return;
  const auto says = [&](std::chrono::microseconds wait, std::string_view type, bool is_true) {
    agenda_.after(wait, [this, claim, result, allocation, type, is_true] {
      write(claim, result, allocation, type, is_true);
    });
  };
  const bool fails = !resting_ && fate >= 6;
  const auto wait = resting_ ? dice_.between(10ms, 3s) : dice_.between(10ms, is_late ? 40s : 4s);
  if (dice_.one_in(3)) says(wait / 2, kReady, false);
  says(wait, fails ? kBroken : kReady, true);
}

// The device's condition is written once, and for this allocation only.
void DeviceConditions::write(const Key& claim, const json::value& result, const json::value& allocation,
                             std::string_view type, bool is_true) {
  const auto there = store_.find(claim);
  const auto* has = there ? find_at(there->value, "/status/allocation") : nullptr;
  if (!has || *has != allocation) return;
  auto changed = there->value;
  auto& devices = changed.as_object()["status"].as_object()["devices"];
  if (!devices.is_array()) devices = json::array();
  auto& statuses = devices.get_array();
  const auto found = std::ranges::find_if(statuses, [&](const auto& one) { return is_of(one, result); });
  if (found != statuses.end() && text_at(*found, "/conditions/0/status") == "True") return;
  if (found != statuses.end()) statuses.erase(found);
  // A device that failed after the start of the rest becomes ready.
  const auto said = resting_ ? kReady : type;
  json::object condition{{"type", said},
                         {"status", is_true ? "True" : "False"},
                         {"reason", "Said"},
                         {"message", ""},
                         {"lastTransitionTime", format_time(agenda_.clock().wall())}};
  json::object status{{"conditions", json::array{std::move(condition)}}};
  for (const auto* field : {"driver", "pool", "device"}) status[field] = result.at(field);
  statuses.push_back(std::move(status));
  store_.update(claim, std::move(changed), kConditionDriver);
}

}  // namespace podium::simulate
