// What an error of a write is about.
#include "client/concern.h"

#include <gtest/gtest.h>

namespace podium::client {
namespace {

Error status(int code, const char* message, const char* reason = "") {
  Error error;
  error.kind = Error::Kind::status;
  error.code = code;
  error.message = message;
  error.reason = reason;
  return error;
}

Error of_kind(Error::Kind kind) {
  Error error;
  error.kind = kind;
  return error;
}

TEST(Concern, OnlyWhatConcernsAllMayPauseAll) {
  const struct {
    const char* name;
    Error error;
    Concern is;
  } cases[] = {
      {"the object is gone", status(404, "pods \"web\" not found", "NotFound"), Concern::object},
      {"another object is not there", status(404, "secrets \"key\" not found"), Concern::object},
      {"the resource is not served", status(404, "404 page not found"), Concern::all},
      {"the namespace is gone", status(404, "namespaces \"shop\" not found", "NotFound"),
       Concern::of_namespace},
      {"a quota", status(403, "exceeded quota: none"), Concern::of_namespace},
      {"the name is taken", status(409, "already exists"), Concern::object},
      {"too large", status(413, "too large"), Concern::object},
      {"not valid", status(422, "not valid"), Concern::object},
      {"the server is busy", status(429, "too many requests"), Concern::all},
      {"a webhook that says 429", status(429, "admission webhook \"w\" denied the request"),
       Concern::of_namespace},
      {"a webhook that says 404", status(404, "admission webhook \"w\" denied the request", "NotFound"),
       Concern::of_namespace},
      {"a webhook that fails", status(500, "failed calling webhook \"w\""), Concern::of_namespace},
      {"a webhook that hangs", of_kind(Error::Kind::timeout), Concern::of_namespace},
      {"no right to write anywhere", status(401, "Unauthorized"), Concern::all},
      {"the server stops", status(503, "apiserver is shutting down"), Concern::all},
      {"no connection", of_kind(Error::Kind::unavailable), Concern::all},
      {"a stop", of_kind(Error::Kind::cancelled), Concern::object},
  };
  for (const auto& c : cases) EXPECT_EQ(concern_of(c.error), c.is) << c.name;
}

}  // namespace
}  // namespace podium::client
