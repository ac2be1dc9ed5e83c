#include "explain/report/ttl.h"

namespace podium::explain {

std::chrono::seconds report_ttl(const boost::json::value* spec, std::chrono::seconds default_ttl) {
  constexpr std::chrono::seconds kLongest = std::chrono::hours(720);
  const auto* object = spec ? spec->if_object() : nullptr;
  const auto* found = object ? object->if_contains("ttlSeconds") : nullptr;
  const auto* seconds = found ? found->if_int64() : nullptr;
  if (!seconds || *seconds < 0 || *seconds > kLongest.count()) return default_ttl;
  return *seconds == 0 ? kKept : std::chrono::seconds(*seconds);
}

}  // namespace podium::explain
