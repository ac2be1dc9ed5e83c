// Constraints of a claim: matchAttribute and distinctAttribute, with the attributes of the chosen devices.
//
// Role: checked when the search takes a device, and updated when it gives one back. Threads: one search.
// Errors: none.
// Source: dynamic-resource-allocation/structured/internal/incubating constraint.go.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/values/device.h"

namespace podium::devices {

// Names a request of the claim; `subrequest` is empty unless the request has some.
struct RequestName {
  std::string_view request, subrequest;
};

// Null: the device lacks it. The driver's own names may be written without its domain.
const api::DeviceAttribute* find_attribute(const api::Device& device, std::string_view driver,
                                           std::string_view name);

class Constraint {
 public:
  explicit Constraint(const api::DeviceConstraint& constraint);
  bool add(const RequestName& name, const api::Device& device, std::string_view driver);
  // Undoes the last add() that returned true.
  void remove(const RequestName& name);
  void clear();

 private:
  bool applies_to(const RequestName& name) const;
  bool matches(const api::DeviceAttribute& attribute) const;
  bool is_distinct(const api::DeviceAttribute& attribute) const;

  const api::DeviceConstraint& constraint_;
  bool distinct_;
  std::string_view attribute_name_;
  std::vector<const api::DeviceAttribute*> taken_;  // one for each device
};

}  // namespace podium::devices
