#include "client/concern.h"

#include "client/api.h"

namespace podium::client {
namespace {

bool says(const Error& error, const char* text) { return error.message.find(text) != std::string::npos; }

// A webhook chooses the code of its refusal. Source: apiserver webhook/errors ToStatusErr.
bool is_of_a_webhook(const Error& error) {
  return says(error, "admission webhook \"") || says(error, "failed calling webhook");
}

}  // namespace

bool namespace_is_going(const Error& error) {
  return (error.code == 403 && says(error, "because it is being terminated")) ||
         (error.code == 404 && says(error, "namespaces \""));
}

Concern concern_of(const Error& error) {
  // With a webhook that hangs, the writes of its namespace run into their deadline.
  if (error.kind == Error::Kind::timeout) return Concern::of_namespace;
  if (error.kind == Error::Kind::unavailable) return Concern::all;
  if (error.kind != Error::Kind::status) return Concern::object;
  if (namespace_is_going(error) || is_of_a_webhook(error)) return Concern::of_namespace;
  switch (error.code) {
    case 401:
    case 429:
    case 503:
      return Concern::all;
    case 403:
      return Concern::of_namespace;
    case 404:
      // If the resource is not served, the reply does not name an object.
      return object_is_gone(error) || says(error, "\" not found") ? Concern::object : Concern::all;
    default:
      return Concern::object;
  }
}

}  // namespace podium::client
