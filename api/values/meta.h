// ObjectMeta: the metadata that all kinds share.
//
// Plain values with the fields that podium reads. Threads: values; safe to share while const.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/values/labels.h"
#include "api/values/shared_list.h"
#include "base/instant.h"

namespace podium::api {

struct OwnerReference {
  std::string api_version, kind, name, uid;
  bool controller = false;
  bool operator==(const OwnerReference&) const = default;
};

struct ObjectMeta {
  std::string name, namespace_, uid, resource_version;
  std::int64_t generation = 0;
  Labels labels, annotations;
  SharedList<OwnerReference> owners;
  std::optional<Wall> created, deleted;  // creationTimestamp, deletionTimestamp

  const OwnerReference* controller() const;  // the owner with controller: true, or null
  bool operator==(const ObjectMeta&) const = default;
};

}  // namespace podium::api
