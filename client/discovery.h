// Discovery: whether the API server says that it serves a resource.
//
// A 404 to a list may come from a proxy. The API server's own lists of its groups and resources settle it: a
// proxy's error page is not such a list.
// Threads: pure functions. Errors: `unknown` for a body that is not the list.
#pragma once

#include <string>
#include <string_view>

#include "client/api.h"

namespace podium::client {

enum class Served { no, yes, unknown };

inline constexpr const char* kGroupsPath = "/apis";
std::string resources_path(const Resource& resource);  // of the resource's group and version

// `groups`: the body of GET kGroupsPath (APIGroupList). yes: the group has the version.
Served served_version(std::string_view groups, const Resource& resource);
// `resources`: the body of GET resources_path() (APIResourceList).
Served served_resource(std::string_view resources, const Resource& resource);

}  // namespace podium::client
