#include "app/kubectl/eviction.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/text/json_view.h"
#include "app/render/text.h"
#include "base/time.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;

// The cluster role "view" has them in this group, and not in events.k8s.io.
const client::Resource kEvents{"", "v1", "events", true};

// An event that was repeated has the time of its last occurrence in its series.
std::optional<Wall> time_of(const json::value& event) {
  for (const auto* at : {"/series/lastObservedTime", "/eventTime", "/lastTimestamp"}) {
    if (auto time = parse_time(api::text_at(event, at))) return time;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Eviction> last_eviction(Cluster& cluster, const std::string& ns, const std::string& pod,
                                      const std::string& uid) {
  client::ListOptions about;
  about.field_selector = fmt::format("involvedObject.kind=Pod,involvedObject.name={},reason=Preempted", pod);
  const auto events = cluster.list(kEvents, ns, about);
  if (!events) return std::nullopt;
  std::optional<Eviction> last;
  for (const auto& event : *events) {
    if (!uid.empty() && api::text_at(event, "/involvedObject/uid") != uid) continue;
    Eviction found{api::text_at(event, "/related/namespace"), api::text_at(event, "/related/name"),
                   time_of(event)};
    if (found.pod.empty() || (last && last->when >= found.when)) continue;
    last = std::move(found);
  }
  return last;
}

std::string eviction_words(const Eviction& eviction, Wall now) {
  std::string when;
  if (eviction.when)
    when = fmt::format(" {} ago",
                       render::age(std::max(std::chrono::seconds(0),
                                            std::chrono::floor<std::chrono::seconds>(now - *eviction.when))));
  return fmt::format("evicted{} to make room for {}/{}", when, render::printable(eviction.ns),
                     render::printable(eviction.pod));
}

std::string eviction_hint(const Eviction& eviction, const std::string& program) {
  return fmt::format("Why was it evicted? {} why {} -n {}\n", program, render::printable(eviction.pod),
                     render::printable(eviction.ns));
}

}  // namespace podium::kubectl
