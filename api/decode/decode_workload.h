// Decodes a Service, ReplicationController, ReplicaSet or StatefulSet. decode.h has the rules, and the other
// kinds of objects.
//
// Threads: pure functions. Errors: Kind::invalid.
#pragma once

#include <boost/json/value.hpp>

#include "api/values/objects.h"
#include "base/result.h"

namespace podium::api {

Result<Workload> decode_workload(const boost::json::value&, Workload::Kind);

}  // namespace podium::api
