// Faults: the kinds of faults of a life. Shrinking a failing life drops them one by one.
//
// Threads: values. Errors: none.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace podium::simulate {

// Lives from this seed on have devices and claims. Earlier seeds keep their lives.
inline constexpr std::uint64_t kFirstWithDevices = 1'000'000;
// Some of the devices have binding conditions from this seed on.
inline constexpr std::uint64_t kFirstWithConditions = 2'000'000;
// From this seed on, an extender answers late, so that events arrive while an engine decides.
// Odd seeds have devices.
inline constexpr std::uint64_t kFirstWithExtender = 3'000'000;
// From this seed on, pods have constraints on each other, and running pods are changed; no devices.
inline constexpr std::uint64_t kFirstWithNeighbours = 4'000'000;
// From this seed on, pods have claims for volumes; no devices, and no constraints on each other.
inline constexpr std::uint64_t kFirstWithVolumes = 5'000'000;
// In the second half of each of these millions, faults end after half the time.
constexpr bool is_short(std::uint64_t seed) {
  return seed >= kFirstWithDevices && seed % 1'000'000 >= 500'000;
}

enum class Fault : std::uint8_t {
  lose_request,    // never arrives
  lose_reply,      // takes effect; the reply is lost
  refuse,          // no connection
  slow,            // takes up to seconds
  late,            // takes effect up to a minute later
  twice,           // a proxy sends a request again
  overload,        // 429 and 503 with Retry-After
  server_error,    // 500, 503 and 504, before or after the request took effect
  proxy_404,       // a 404 from a proxy, not from the API server
  lose_event,      // a watch loses a line
  cut_stream,      // a watch ends inside of a line
  half_open,       // a watch gets no more data
  server_silence,  // no request is answered for seconds
  restart,         // all watches end
  compact,         // watches and pages get a 410
  small_pages,     // lists have a few items per page
  crash,           // an engine crashes at any step
  freeze,          // an engine stops for seconds
  clock,           // wall clocks step, clocks drift
  hands,           // users edit and delete reports and leases
  quota,           // namespaces refuse reports, their deletion and evictions
  count,
};

inline constexpr std::array<std::string_view, static_cast<std::size_t>(Fault::count)> kFaultNames{
    "lose_request", "lose_reply",  "refuse",     "slow",       "late",      "twice",          "overload",
    "server_error", "proxy_404",   "lose_event", "cut_stream", "half_open", "server_silence", "restart",
    "compact",      "small_pages", "crash",      "freeze",     "clock",     "hands",          "quota"};

class Faults {
 public:
  static constexpr std::size_t kCount = static_cast<std::size_t>(Fault::count);

  static Faults all() { return Faults((std::uint32_t{1} << kCount) - 1); }
  static Faults none() { return Faults(0); }
  explicit Faults(std::uint32_t mask) : mask_(mask) {}

  bool has(Fault fault) const { return mask_ >> static_cast<unsigned>(fault) & 1; }
  void add(Fault fault) { mask_ |= std::uint32_t{1} << static_cast<unsigned>(fault); }
  void drop(Fault fault) { mask_ &= ~(std::uint32_t{1} << static_cast<unsigned>(fault)); }
  std::uint32_t mask() const { return mask_; }
  bool operator==(const Faults&) const = default;

 private:
  std::uint32_t mask_;
};

}  // namespace podium::simulate
