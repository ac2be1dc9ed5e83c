// ResourceList: the amounts of requests, limits and capacities. Threads: values.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "api/values/quantity.h"
#include "api/values/shared_list.h"

namespace podium::api {

// Amounts by resource name, sorted.
using ResourceList = SharedList<std::pair<std::string, Quantity>>;
const Quantity* find_resource(const ResourceList&, std::string_view name);
void set_if_absent(ResourceList&, const std::string& name, Quantity amount);
void set_if_absent(ResourceList&, const ResourceList& defaults);

}  // namespace podium::api
