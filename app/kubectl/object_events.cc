#include "app/kubectl/object_events.h"

#include <fmt/format.h>

#include "api/text/json_view.h"
#include "app/render/text.h"
#include "base/time.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;

// The cluster role "view" has them in this group, and not in events.k8s.io.
const client::Resource kEvents{"", "v1", "events", true};

}  // namespace

std::vector<json::value> events_about(Cluster& cluster, const std::string& ns, std::string_view kind,
                                      const std::string& name, std::string_view reason) {
  client::ListOptions about;
  about.field_selector =
      fmt::format("involvedObject.kind={},involvedObject.name={},reason={}", kind, name, reason);
  auto events = cluster.list(kEvents, ns, about);
  return events ? std::move(*events) : std::vector<json::value>();
}

std::optional<Wall> time_of_event(const json::value& event) {
  for (const auto* at : {"/series/lastObservedTime", "/eventTime", "/lastTimestamp"}) {
    if (auto time = parse_time(api::text_at(event, at))) return time;
  }
  return std::nullopt;
}

std::string creation_failure(Cluster& cluster, const std::string& ns, std::string_view kind,
                             const json::value& workload) {
  const auto uid = api::text_at(workload, "/metadata/uid");
  std::string last;
  std::optional<Wall> when;
  for (const auto& event :
       events_about(cluster, ns, kind, api::text_at(workload, "/metadata/name"), "FailedCreate")) {
    if (!uid.empty() && api::text_at(event, "/involvedObject/uid") != uid) continue;
    const auto time = time_of_event(event);
    if (!last.empty() && time < when) continue;
    last = render::printable(api::text_at(event, "/message"));
    when = time;
  }
  return last;
}

}  // namespace podium::kubectl
