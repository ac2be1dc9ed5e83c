// The checks that the validators of this folder share.
// Threads: pure functions. Errors: findings in Problems.
#pragma once

#include <string>
#include <string_view>

#include "api/values/labels.h"
#include "api/values/resource_list.h"
#include "base/problems.h"

namespace podium::api {
struct ObjectMeta;
struct Pod;
}  // namespace podium::api

namespace podium::api::detail {

std::string item(const std::string& path, std::size_t index);  // "path[index]"

void check_metadata(const ObjectMeta&, Problems&);
void check_labels(const Labels&, const std::string& path, Problems&);
void check_label_key(std::string_view key, const std::string& path, Problems&);
void check_label_value(std::string_view value, const std::string& path, Problems&);
// Amounts must not be negative; those of pods and of non-native resources must be integers.
void check_amounts(const ResourceList&, const std::string& path, Problems&);
// Selectors, affinity, spread constraints, tolerations and gates.
void check_constraints(const Pod&, Problems&);

}  // namespace podium::api::detail
