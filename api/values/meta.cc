#include "api/values/meta.h"

#include <algorithm>

namespace podium::api {

const OwnerReference* ObjectMeta::controller() const {
  const auto at =
      std::find_if(owners.begin(), owners.end(), [](const auto& owner) { return owner.controller; });
  return at == owners.end() ? nullptr : &*at;
}

}  // namespace podium::api
