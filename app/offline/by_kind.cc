#include "app/offline/by_kind.h"

#include <boost/json/object.hpp>

#include "api/text/json_view.h"
#include "api/text/yaml.h"
#include "base/problems.h"

namespace podium::offline {
namespace {

constexpr std::string_view kQuota = "ResourceQuota";

// "apps" of "apps/v1"; "" of "v1".
std::string_view group_of(std::string_view api_version) {
  const auto slash = api_version.find('/');
  return slash == api_version.npos ? std::string_view() : api_version.substr(0, slash);
}

}  // namespace

std::string kind_key(std::string_view group, std::string_view kind) {
  return std::string(group) + '/' + std::string(kind);
}

Result<ByKind> objects_by_kind(const std::vector<api::ManifestText>& texts, const std::string& ns) {
  ByKind out;
  Problems problems;
  api::YamlLimits limits;
  limits.lines = false;
  for (const auto& text : texts) {
    auto documents = problems.value_of(api::parse_documents(text.text, text.source, limits));
    if (!documents) continue;
    for (auto& object : api::sort_objects(std::move(*documents), text.source, problems).objects) {
      auto& value = object.value;
      const auto kind = api::text_at(value, "/kind");
      const bool is_namespaced = object.maker || kind == kQuota;
      if (is_namespaced && api::text_at(value, "/metadata/namespace").empty()) {
        auto& metadata = value.as_object()["metadata"];
        (metadata.is_object() ? metadata.get_object() : metadata.emplace_object())["namespace"] = ns;
      }
      out[kind_key(group_of(api::text_at(value, "/apiVersion")), kind)].push_back(std::move(value));
    }
  }
  if (problems) return std::unexpected(problems.error());
  return out;
}

Result<std::vector<api::ResourceQuota>> quotas_of(const ByKind& objects) {
  std::vector<api::ResourceQuota> out;
  const auto found = objects.find(kind_key("", kQuota));
  if (found == objects.end()) return out;
  Problems problems;
  for (const auto& object : found->second) {
    if (auto quota = problems.value_of(api::decode_resource_quota(object))) out.push_back(std::move(*quota));
  }
  if (problems) return std::unexpected(problems.error());
  return out;
}

}  // namespace podium::offline
