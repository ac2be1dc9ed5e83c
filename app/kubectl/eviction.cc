#include "app/kubectl/eviction.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/text/json_view.h"
#include "app/kubectl/object_events.h"
#include "app/render/object_text.h"
#include "app/render/report.h"
#include "app/render/text.h"
#include "base/time.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;

// "Preempted by pod 0a-1b on node n1", which kube-scheduler also writes.
std::string node_of(const json::value& event) {
  constexpr std::string_view kOn = " on node ";
  const auto text = api::text_at(event, "/message");
  const auto at = text.rfind(kOn);
  if (at == text.npos) return {};
  const auto node = text.substr(at + kOn.size());
  return node.substr(0, node.find(' '));
}

}  // namespace

std::optional<Eviction> last_eviction(Cluster& cluster, const std::string& ns, const std::string& pod,
                                      const std::string& uid) {
  std::optional<Eviction> last;
  for (const auto& event : events_about(cluster, ns, "Pod", pod, "Preempted")) {
    if (!uid.empty() && api::text_at(event, "/involvedObject/uid") != uid) continue;
    Eviction found{api::text_at(event, "/related/namespace"), api::text_at(event, "/related/name"),
                   time_of_event(event), node_of(event)};
    if (found.pod.empty() || (last && last->when >= found.when)) continue;
    last = std::move(found);
  }
  return last;
}

std::optional<Eviction> eviction_of_gone(Cluster& cluster, const std::string& ns, const std::string& pod,
                                         bool asks_memory) {
  if (auto eviction = last_eviction(cluster, ns, pod, "")) return eviction;
  auto of_report = cluster.reported_eviction(ns, pod);
  if ((of_report && of_report->when) || !asks_memory) return of_report;
  auto of_memory = cluster.remembered_eviction(ns, pod);
  return of_memory ? of_memory : of_report;
}

// A later decision names the victims again. So only the first one has the time.
std::optional<Eviction> eviction_in(const json::value& object, const std::string& ns,
                                    const std::string& pod) {
  if (!api::find_at(object, "/status/preemption")) return std::nullopt;
  const auto report = render::read_report(object);
  const auto& preemption = report.status.preemption;
  if (!preemption) return std::nullopt;
  const auto is_it = [&](const explain::NamespacedName& victim) {
    return victim.ns == ns && victim.name == pod;
  };
  if (std::ranges::none_of(preemption->victims, is_it)) return std::nullopt;
  auto when = preemption->decided_at;
  if (!when && report.status.attempts == 1) when = report.status.decided_at;
  return Eviction{report.ns, report.pod, when, preemption->node};
}

std::optional<Eviction> eviction_of_words(const json::value& reply) {
  Eviction out{api::text_at(reply, "/words/evictedFor/namespace"),
               api::text_at(reply, "/words/evictedFor/name"), std::nullopt,
               api::text_at(reply, "/status/choice/nodeName")};
  if (out.pod.empty()) return std::nullopt;
  for (const auto& moment : render::list_at(reply, "/words/timeline")) {
    if (api::text_at(moment, "/what") == "evicted") out.when = parse_time(api::text_at(moment, "/at"));
  }
  return out;
}

std::optional<Eviction> eviction_of_causes(const Error& error) {
  const auto message_of = [&](const char* reason) {
    const auto found = std::ranges::find(error.status.causes, reason, &ApiStatus::Cause::reason);
    return found == error.status.causes.end() ? std::string() : found->message;
  };
  // A Status has only texts: "ml/vip".
  const auto by = message_of("EvictedFor");
  const auto slash = by.find('/');
  if (slash == by.npos) return std::nullopt;
  return Eviction{by.substr(0, slash), by.substr(slash + 1), parse_time(message_of("EvictedAt")),
                  message_of("EvictedFrom")};
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
