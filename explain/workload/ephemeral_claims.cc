#include "explain/workload/ephemeral_claims.h"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <optional>

#include "api/decode/decode.h"
#include "api/text/json_view.h"
#include "api/values/defaults.h"
#include "base/problems.h"
#include "explain/workload/new_claims.h"
#include "scheduler/plugins/volumes/claim_lookup.h"

namespace podium::explain {
namespace {

namespace json = boost::json;
using api::PersistentVolumeClaim;
using api::StorageClass;

bool is_default(const StorageClass& storage_class) {
  for (const auto* key :
       {"storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"}) {
    if (const auto* value = storage_class.meta.annotations.find(key); value && *value == "true") return true;
  }
  return false;
}

// A class that no API server has stored yet will be newer than those that exist.
Wall created(const StorageClass& storage_class) { return storage_class.meta.created.value_or(Wall::max()); }

}  // namespace

std::optional<std::string> default_storage_class(const cluster::Snapshot& snapshot) {
  const StorageClass* best = nullptr;
  for (const auto& [key, storage_class] : snapshot.objects().all<StorageClass>()) {
    if (is_default(*storage_class) && (!best || created(*storage_class) > created(*best)))
      best = storage_class.get();
  }
  return best ? std::optional(best->meta.name) : std::nullopt;
}

Result<std::vector<EphemeralClaim>> read_ephemeral_claims(const json::value& pod) {
  std::vector<EphemeralClaim> claims;
  const auto* volumes = api::find_at(pod, "/spec/volumes");
  if (!volumes || !volumes->is_array()) return claims;
  for (std::size_t i = 0; i < volumes->get_array().size(); ++i) {
    const auto& volume = volumes->get_array()[i];
    const auto* claim_template = api::find_at(volume, "/ephemeral/volumeClaimTemplate");
    const auto* name = api::find_at(volume, "/name");
    if (!claim_template || !name || !name->is_string()) continue;
    auto claim = api::decode_persistent_volume_claim(*claim_template);
    if (!claim) {
      const FieldPath path = fmt::format("spec.volumes[{}].ephemeral.volumeClaimTemplate", i);
      return std::unexpected(below(path, claim.error()));
    }
    api::set_defaults(*claim);
    claims.push_back({std::string(name->get_string()), std::move(*claim)});
  }
  return claims;
}

void make_claims(const std::vector<EphemeralClaim>& claims, const api::Pod& pod, cluster::Snapshot& fork) {
  std::map<std::string_view, const PersistentVolumeClaim*> by_volume;
  for (const auto& [volume, claim] : claims) by_volume.emplace(volume, &claim);
  for (const auto& volume : pod.volumes) {
    const auto of_volume = by_volume.find(volume.name);
    if (volume.kind != api::Volume::Kind::ephemeral || of_volume == by_volume.end()) continue;
    const auto name = *plugins::claim_name(pod, volume);
    if (plugins::find_claim(fork, pod, name)) continue;
    auto claim = std::make_shared<PersistentVolumeClaim>(*of_volume->second);
    claim->meta.name = name;
    claim->meta.namespace_ = pod.meta.namespace_;
    claim->meta.uid = pod.meta.uid + "-" + volume.name;
    claim->meta.owners = {
        {.api_version = "v1", .kind = "Pod", .name = pod.meta.name, .uid = pod.meta.uid, .controller = true}};
    add_claim(std::move(claim), fork);
  }
}

}  // namespace podium::explain
