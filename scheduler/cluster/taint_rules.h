// TaintRules: the DeviceTaintRules, by the devices that they select.
//
// Role: a rule names a driver, a pool and a device, or leaves some of them open. So a device belongs to at
// most eight groups of rules, each found by one look-up, however many rules there are. While there are rules,
// devices are counted by the same keys: the counts show whether a rule's change alters a taint of any device.
// Source: dynamic-resource-allocation/resourceslice/tracker tracker.go.
// Owner: Objects. Threads: as Cow; a copy has one writer. Errors: none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/values/device_fwd.h"
#include "scheduler/cluster/cow_map.h"
#include "scheduler/cluster/devices_in_use.h"

namespace podium::cluster {

class TaintRules {
 public:
  using RulePtr = std::shared_ptr<const api::DeviceTaintRule>;
  // Rules that select the same devices, by name.
  using Group = std::vector<RulePtr>;
  // Calls its argument with each slice.
  using EachSlice = std::function<void(const std::function<void(const api::ResourceSlice&)>&)>;

  // A rule was added (`before` is null), changed or removed (`after` is null). `each_slice` has all slices.
  // Returns true if this changes a taint of a device.
  bool changed(const api::DeviceTaintRule* before, const RulePtr& after, const EachSlice& each_slice);
  // The same for a slice.
  void slice_changed(const api::ResourceSlice* before, const api::ResourceSlice* after);

  bool empty() const { return groups_.size() == 0; }
  // Calls see(group) for each group of rules that select the device. A group stays where it is until the next
  // change of a rule.
  template <typename See>
  void each_group(const PoolId& pool, std::string_view device, See&& see) const {
    for (std::size_t fields = 0; fields < kinds_.size(); ++fields) {
      if (kinds_[fields].rules == 0) continue;
      if (const auto* group = groups_.find(named(fields, pool.driver, pool.pool, device))) see(*group);
    }
  }

 private:
  // Bits: the fields that a rule names.
  static constexpr std::size_t kDriver = 1, kPool = 2, kDevice = 4, kKinds = 8;

  // The fields that a rule names; the others are empty.
  template <typename Text>
  struct Named {
    std::uint64_t hash = 0;
    std::size_t fields = 0;
    Text driver, pool, device;
    template <typename Other>
    bool operator==(const Named<Other>& other) const {
      return hash == other.hash && fields == other.fields && driver == other.driver && pool == other.pool &&
             device == other.device;
    }
  };
  struct NamedHash {
    using is_transparent = void;
    using is_avalanching = void;
    template <typename Text>
    std::size_t operator()(const Named<Text>& key) const {
      return key.hash;
    }
  };
  // The rules that name the same fields.
  struct Kind {
    std::size_t rules = 0;
    // The devices, by the hash of what such rules name. A clash of hashes wakes pods without need.
    CowMap<std::uint64_t, std::uint32_t, HashOfHash, 1024> devices;
  };

  static Named<std::string_view> named(std::size_t fields, std::string_view driver, std::string_view pool,
                                       std::string_view device);
  static Named<std::string_view> named(const api::DeviceTaintSelector& selector);
  void count(std::size_t fields, const api::ResourceSlice& slice, std::uint32_t by);
  bool selects_any(const api::DeviceTaintSelector& selector) const;
  void add(const RulePtr& rule, const EachSlice& each_slice);
  void remove(const api::DeviceTaintRule& rule);

  std::array<Kind, kKinds> kinds_;  // by fields
  CowMap<Named<std::string>, Group, NamedHash> groups_;
};

}  // namespace podium::cluster
