// Discovery: whether the API server says that it serves a resource.
//
// A 404 to a list may come from a proxy. The API server's own lists of its groups and resources settle it: a
// proxy's error page is not such a list.
// Owner: the caller; the transport outlives the call. Threads: as Transport. Errors: `unknown` if a list
// cannot be read.
#pragma once

#include "client/api.h"

namespace podium::client {

enum class Served { no, yes, unknown };

// Asks for the server's groups (APIGroupList), and if the resource's version is among them, for the resources
// of that version (APIResourceList).
Task<Served> ask_discovery(Transport& transport, Resource resource);

}  // namespace podium::client
