// The names of the types of device.h, for headers that only point to them.
#pragma once

namespace podium::api {

struct Allocation;
struct DeviceClass;
struct DeviceTaintRule;
struct DeviceTaintSelector;
struct ResourceClaim;
struct ResourceClaimTemplate;
struct ResourceSlice;

}  // namespace podium::api
