#include "app/offline/by_kind.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "api/admission/quota_sums.h"
#include "api/decode/dump_kinds.h"
#include "api/text/json_view.h"
#include "api/text/yaml.h"
#include "app/offline/quota_status.h"
#include "base/problems.h"

namespace podium::offline {
namespace {

namespace json = boost::json;

constexpr std::string_view kQuota = "ResourceQuota";

// "apps" of "apps/v1"; "" of "v1".
std::string_view group_of(std::string_view api_version) {
  const auto slash = api_version.find('/');
  return slash == api_version.npos ? std::string_view() : api_version.substr(0, slash);
}

// A quota of a manifest, as the quota controller would begin with it.
json::value with_first_status(json::value object) {
  const auto* hard = api::find_at(object, "/spec/hard");
  if (!hard || !hard->is_object()) return object;
  json::object used;
  for (const auto& [name, _] : hard->get_object()) used[name] = "0";
  object.as_object()["status"] = json::object{{"hard", *hard}, {"used", std::move(used)}};
  return object;
}

// The API server stores a new pod with this phase. A pod that is on a node may run, so it is left as it is.
void set_pending(json::value& object) {
  if (!api::text_at(object, "/status/phase").empty() || !api::text_at(object, "/spec/nodeName").empty())
    return;
  auto& pod = object.as_object();
  auto& status = pod["status"];
  if (status.is_null()) status.emplace_object();
  if (auto* fields = status.if_object()) (*fields)["phase"] = "Pending";
}

// Both are in order of name.
void add_usage(const api::ResourceList& usage, api::ResourceQuota& quota) {
  auto& all = quota.used.write();
  for (const auto& [name, amount] : usage) {
    const auto used = std::ranges::lower_bound(all, name, {}, &api::ResourceList::value_type::first);
    if (used != all.end() && used->first == name) used->second = used->second + amount;
  }
}

// What quotas count in one namespace.
struct Countable {
  std::vector<api::QuotaPod> pods;
  std::vector<const api::PersistentVolumeClaim*> claims;
  std::map<std::string, std::int64_t> objects;  // the others, by "count/deployments.apps"
  std::optional<api::UsageOfMany> usage;        // of the pods and claims, once it is asked for
};
using ByNamespace = std::map<std::string, Countable, std::less<>>;

ByNamespace by_namespace(const ByKind& objects, const api::Manifests& cluster) {
  ByNamespace out;
  for (const auto& pod : cluster.pods) {
    if (!pod->terminated()) out[pod->meta.namespace_].pods.push_back({*pod});
  }
  for (const auto& claim : cluster.persistent_volume_claims)
    out[claim->meta.namespace_].claims.push_back(claim.get());
  for (const auto& kind : api::dump_kinds()) {
    const auto found = objects.find(kind_key(kind.group, kind.kind));
    if (found == objects.end() || kind.kind == "Pod" || kind.kind == "PersistentVolumeClaim") continue;
    const auto name = api::object_count(kind.plural, kind.group);
    for (const auto& object : found->second) ++out[api::text_at(object, "/metadata/namespace")].objects[name];
  }
  return out;
}

void count_usage(Countable& countable, api::ResourceQuota& quota) {
  if (!countable.usage) countable.usage.emplace(countable.pods, countable.claims);
  add_usage(countable.usage->of(quota), quota);
  for (const auto& [name, count] : countable.objects)
    add_usage({{name, api::Quantity::from_units(count)}}, quota);
}

}  // namespace

std::string kind_key(std::string_view group, std::string_view kind) {
  return std::string(group) + '/' + std::string(kind);
}

// Keeps one of several copies: read_manifests() refuses those that differ.
Result<ByKind> objects_by_kind(const std::vector<api::ManifestText>& texts, const std::string& ns) {
  ByKind out;
  Problems problems;
  std::set<std::tuple<std::string, std::string, std::string>> known_names;  // kind, namespace, name
  const auto* pod = api::dump_kind("v1", "Pod");
  api::YamlLimits limits;
  limits.lines = false;
  for (const auto& text : texts) {
    auto documents = problems.value_of(api::parse_documents(text.text, text.source, limits));
    if (!documents) continue;
    for (auto& object : api::sort_objects(std::move(*documents), text.source, problems).objects) {
      auto& value = object.value;
      const auto kind = api::text_at(value, "/kind");
      const auto version = api::text_at(value, "/apiVersion");
      const auto* known = api::dump_kind(version, kind);
      const bool is_namespaced = object.maker || (known && known->is_namespaced) || kind == "PodGroup";
      if (is_namespaced && api::text_at(value, "/metadata/namespace").empty()) {
        auto& metadata = value.as_object()["metadata"];
        (metadata.is_object() ? metadata.get_object() : metadata.emplace_object())["namespace"] = ns;
      }
      if (known == pod) set_pending(value);
      auto key = kind_key(group_of(version), kind);
      auto name = api::text_at(value, "/metadata/name");
      const bool is_copy =
          !name.empty() && !known_names.emplace(key, api::text_at(value, "/metadata/namespace"), name).second;
      if (!is_copy) out[key].push_back(std::move(value));
    }
  }
  if (problems) return std::unexpected(problems.error());
  return out;
}

Result<std::vector<api::ResourceQuota>> quotas_of(ByKind& objects, const api::Manifests& cluster) {
  std::vector<api::ResourceQuota> out;
  const auto found = objects.find(kind_key("", kQuota));
  if (found == objects.end()) return out;
  Problems problems;
  auto countable = by_namespace(objects, cluster);
  for (auto& object : found->second) {
    const bool is_new = !api::find_at(object, "/status/hard");
    auto quota = problems.value_of(api::decode_resource_quota(is_new ? with_first_status(object) : object));
    if (!quota) continue;
    if (is_new) {
      count_usage(countable[quota->meta.namespace_], *quota);
      object.as_object()["status"] = status_of(*quota);
    }
    out.push_back(std::move(*quota));
  }
  if (problems) return std::unexpected(problems.error());
  return out;
}

}  // namespace podium::offline
