// What the errors of requests to an API server mean: predicates, and classify() for the outcome of a write.
//
// An object that is gone, taken or too large says nothing about others. A tenant can cause errors that
// concern its namespace: a quota, a policy, a webhook that refuses or hangs. Only errors that concern all
// namespaces may pause all writes.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <cstdint>

#include "async/fair_queue_options.h"
#include "base/error.h"

namespace podium::client {

// The server answered, with an error.
bool is_answer(const Error& error);
// The server was not reached, or the connection was cut.
bool is_unreachable(const Error& error);
// The process has no right to write (MayWrite): the request was not sent, or not completely.
bool is_not_leader(const Error& error);
// Stopped, or without the right to write.
bool is_cancelled(const Error& error);
// The API server is away or overloaded, or this process does not lead: the same request may succeed later.
bool may_pass(const Error& error);

bool is_not_found(const Error& error);  // any 404, also of a proxy
bool is_conflict(const Error& error);   // 409: changed, another UID, or the name is taken
bool is_forbidden(const Error& error);  // 403, of any cause
bool is_invalid(const Error& error);    // 400 or 422
bool is_too_large(const Error& error);  // the object (413), or the reply
bool is_expired(const Error& error);    // a version or a continue token is too old

// True for a NotFound Status about the request's object or its namespace. False for other 404s: from a
// proxy, for a resource that is not served, or about another object.
bool object_is_gone(const Error& error);
// The namespace of the object does not exist, or ends.
bool namespace_is_going(const Error& error);
// True if a right is missing, or if the API server did not accept the credentials. False for a 403 of
// admission: quota, policies, webhooks, a terminating namespace.
bool lacks_right(const Error& error);
// A ResourceQuota has no room for the object. All other admission has passed: quotas come last.
bool exceeds_quota(const Error& error);
// The server has not reached the resourceVersion that was asked for.
bool is_ahead_of_server(const Error& error);
// The write may have taken effect, or may still do so. True for a lost reply, and for these: a gateway's 502
// or 504, the API server's own timeout, and an error of etcd that leaves the write's result open.
bool leaves_doubt(const Error& error);

// The scope of an error of a write, which has to back off after it.
enum class Concern : std::uint8_t {
  object,
  of_namespace,
  all,  // the API server is away or overloaded, or does not serve the resource; or this process does not lead
};

// `error` is the answer to a write of an object in a namespace.
Concern concern_of(const Error& error);

// The outcome of a write with this error: what backs off. `object`: the outcome if the error concerns the
// object only.
async::Outcome classify(const Error& error, async::Outcome object);

}  // namespace podium::client
