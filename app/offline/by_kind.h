// The objects of files by kind, as they are written: for the kinds that api::Manifests does not hold.
//
// Threads: pure functions. Errors: Kind::invalid, naming the place in the files.
#pragma once

#include <boost/json/value.hpp>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "api/admission/quota.h"
#include "api/decode/manifests.h"
#include "base/result.h"

namespace podium::offline {

using ByKind = std::map<std::string, std::vector<boost::json::value>, std::less<>>;  // "group/kind"

// "apps/Deployment"; "/Pod" of the core.
std::string kind_key(std::string_view group, std::string_view kind);
// `ns`: of objects that name none.
Result<ByKind> objects_by_kind(const std::vector<api::ManifestText>& texts, const std::string& ns);
// A quota without a status, which no quota controller has seen, gets the one that the controller would write,
// also in `objects`.
Result<std::vector<api::ResourceQuota>> quotas_of(ByKind& objects, const api::Manifests& cluster);

}  // namespace podium::offline
