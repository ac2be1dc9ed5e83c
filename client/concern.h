// Concern: the scope of a write error, which has to back off after it.
//
// An object that is gone, taken or too large says nothing about others. A tenant can cause errors that
// concern its namespace: a quota, a policy, a webhook that refuses or hangs. Only errors that concern all
// namespaces may pause all writes.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <cstdint>

#include "base/result.h"

namespace podium::client {

enum class Concern : std::uint8_t {
  object,
  of_namespace,
  all,  // the API server is away or overloaded, or does not serve the resource
};

// `error` is the answer to a write of an object in a namespace.
Concern concern_of(const Error& error);

// The namespace of the object does not exist, or ends.
bool namespace_is_going(const Error& error);

}  // namespace podium::client
