#include "scheduler/cluster/taint_rules.h"

#include <algorithm>

#include "api/values/device.h"
#include "base/check.h"
#include "base/text_hash.h"

namespace podium::cluster {
namespace {

const api::DeviceTaintSelector* selector_of(const api::DeviceTaintRule* rule) {
  return rule && rule->selector ? &*rule->selector : nullptr;
}

bool selects(const api::DeviceTaintSelector& selector, const api::ResourceSlice& slice,
             const api::Device& device) {
  return (!selector.driver || *selector.driver == slice.driver) &&
         (!selector.pool || *selector.pool == slice.pool.name) &&
         (!selector.device || *selector.device == device.name);
}

// True if some device is selected by only one of them.
bool select_others(const api::DeviceTaintSelector& a, const api::DeviceTaintSelector& b,
                   const TaintRules::EachSlice& each_slice) {
  bool differs = false;
  each_slice([&](const api::ResourceSlice& slice) {
    differs = differs || std::ranges::any_of(slice.devices, [&](const api::Device& device) {
                return selects(a, slice, device) != selects(b, slice, device);
              });
  });
  return differs;
}

bool have_same_devices(const api::ResourceSlice& a, const api::ResourceSlice& b) {
  return a.driver == b.driver && a.pool.name == b.pool.name &&
         std::ranges::equal(a.devices, b.devices, {}, &api::Device::name, &api::Device::name);
}

std::string_view name_of(const TaintRules::RulePtr& rule) { return rule->meta.name; }

}  // namespace

auto TaintRules::named(std::size_t fields, std::string_view driver, std::string_view pool,
                       std::string_view device) -> Named<std::string_view> {
  Named<std::string_view> key{.hash = hash_mix(fields, 1), .fields = fields};
  const auto add = [&](std::size_t field, std::string_view& to, std::string_view text) {
    if (!(fields & field)) return;
    to = text;
    key.hash = hash_mix(key.hash, hash_text(text));
  };
  add(kDriver, key.driver, driver);
  add(kPool, key.pool, pool);
  add(kDevice, key.device, device);
  return key;
}

auto TaintRules::named(const api::DeviceTaintSelector& selector) -> Named<std::string_view> {
  const auto text = [](const std::optional<std::string>& field) -> std::string_view {
    return field ? std::string_view(*field) : std::string_view();
  };
  const auto fields =
      (selector.driver ? kDriver : 0) | (selector.pool ? kPool : 0) | (selector.device ? kDevice : 0);
  return named(fields, text(selector.driver), text(selector.pool), text(selector.device));
}

// `by`: 1, or -1 as an unsigned number.
void TaintRules::count(std::size_t fields, const api::ResourceSlice& slice, std::uint32_t by) {
  auto& devices = kinds_[fields].devices;
  const auto add = [&](std::uint64_t hash, std::uint32_t number) {
    auto& count = devices[hash];
    count += number;
    if (count == 0) devices.erase(hash);
  };
  const auto hash_of = [&](std::string_view device) {
    return named(fields, slice.driver, slice.pool.name, device).hash;
  };
  if (fields & kDevice) {
    for (const auto& device : slice.devices) add(hash_of(device.name), by);
  } else if (!slice.devices.empty()) {
    add(hash_of({}), by * static_cast<std::uint32_t>(slice.devices.size()));
  }
}

void TaintRules::slice_changed(const api::ResourceSlice* before, const api::ResourceSlice* after) {
  if (empty() || (before && after && have_same_devices(*before, *after))) return;
  for (std::size_t fields = 0; fields < kinds_.size(); ++fields) {
    if (kinds_[fields].rules == 0) continue;
    if (before) count(fields, *before, std::uint32_t(-1));
    if (after) count(fields, *after, 1);
  }
}

bool TaintRules::selects_any(const api::DeviceTaintSelector& selector) const {
  const auto key = named(selector);
  return kinds_[key.fields].devices.find(key.hash) != nullptr;
}

void TaintRules::add(const RulePtr& rule, const EachSlice& each_slice) {
  const auto key = named(*rule->selector);
  if (++kinds_[key.fields].rules == 1)
    each_slice([&](const api::ResourceSlice& slice) { count(key.fields, slice, 1); });
  auto& group = groups_[{key.hash, key.fields, std::string(key.driver), std::string(key.pool),
                         std::string(key.device)}];
  group.insert(std::ranges::lower_bound(group, name_of(rule), {}, name_of), rule);
}

void TaintRules::remove(const api::DeviceTaintRule& rule) {
  const auto key = named(*rule.selector);
  auto* group = groups_.find_for_write(key);
  PODIUM_CHECK(group, rule.meta.name);
  const auto at = std::ranges::lower_bound(*group, std::string_view(rule.meta.name), {}, name_of);
  PODIUM_CHECK(at != group->end() && name_of(*at) == rule.meta.name, rule.meta.name);
  group->erase(at);
  if (group->empty()) groups_.erase(key);
  if (--kinds_[key.fields].rules == 0) kinds_[key.fields].devices = {};
}

bool TaintRules::changed(const api::DeviceTaintRule* before, const RulePtr& after,
                         const EachSlice& each_slice) {
  const auto *had = selector_of(before), *has = selector_of(after.get());
  if (had && has && *had == *has) {
    auto* group = groups_.find_for_write(named(*has));
    PODIUM_CHECK(group, after->meta.name);
    const auto at = std::ranges::lower_bound(*group, name_of(after), {}, name_of);
    PODIUM_CHECK(at != group->end() && name_of(*at) == after->meta.name, after->meta.name);
    *at = after;
    return before->taint != after->taint && selects_any(*has);
  }
  // What is counted for the old one may serve the new one, so that comes first.
  if (has) add(after, each_slice);
  const bool changes = had && has && before->taint == after->taint
                           ? select_others(*had, *has, each_slice)
                           : (had && selects_any(*had)) || (has && selects_any(*has));
  if (had) remove(*before);
  return changes;
}

}  // namespace podium::cluster
