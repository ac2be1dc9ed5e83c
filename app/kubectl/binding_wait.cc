#include "app/kubectl/binding_wait.h"

#include <fmt/format.h>

#include <vector>

#include "api/text/json_view.h"
#include "app/render/object_text.h"
#include "app/render/pending.h"
#include "app/render/words.h"
#include "base/similar.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;
using render::string_at;

std::vector<std::string> claims_without_volume(Cluster& cluster, const json::value& pod) {
  const auto ns = api::text_at(pod, "/metadata/namespace"), name = api::text_at(pod, "/metadata/name");
  std::vector<std::string> out;
  for (const auto& volume : render::list_at(pod, "/spec/volumes")) {
    auto claim = string_at(volume, "/persistentVolumeClaim/claimName");
    if (api::find_at(volume, "/ephemeral")) claim = name + "-" + string_at(volume, "/name");
    if (claim.empty()) continue;
    const auto got = cluster.get(client::resource::persistent_volume_claims, ns, claim);
    if (got && string_at(*got, "/status/phase") != "Bound") out.push_back(std::move(claim));
  }
  return out;
}

// Empty: the pod is bound, or has no node that is known.
std::string next_node(const json::value& pod, const std::optional<render::Report>& report) {
  auto waiting = render::read_waiting_pod(pod);
  if (!waiting) return {};
  waiting->report = report;
  return render::node_of_binding(*waiting);
}

}  // namespace

bool waits_for_binding(const json::value& pod, const std::optional<render::Report>& report) {
  return !next_node(pod, report).empty();
}

std::string binding_words(Cluster& cluster, const json::value& pod,
                          const std::optional<render::Report>& report) {
  const auto node = next_node(pod, report);
  if (node.empty() || (report && render::is_being_bound(report->status))) return {};
  constexpr std::size_t kNamed = 3;
  const auto claims = claims_without_volume(cluster, pod);
  const auto waits_for = claims.empty()
                             ? std::string("its binding waits for volumes, claims or a permit")
                             : fmt::format("its claim{} {} no volume", claims.size() == 1 ? "" : "s",
                                           listed(claims, kNamed) + (claims.size() == 1 ? " has" : " have"));
  return fmt::format("{}/{} goes to {}, and is not bound yet: {}.\n", string_at(pod, "/metadata/namespace"),
                     string_at(pod, "/metadata/name"), node, waits_for);
}

}  // namespace podium::kubectl
