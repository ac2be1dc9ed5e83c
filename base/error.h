// Error: what went wrong, as data. Callers ask its kind, its status and its request; only text() makes text.
//
// Owner: a value. Threads: none of its own. client/request_errors.h says what errors of requests mean.
#pragma once

#include <string>
#include <vector>

#include "base/finding.h"

namespace podium {

// The server's answer to a request that failed: metav1.Status. All empty without an answer.
struct ApiStatus {
  struct Cause {
    std::string reason;  // metav1.CauseType: "NamespaceTerminating", "FieldValueInvalid", …; often empty
    std::string message, field;
  };

  int code = 0;          // of HTTP; 0: no answer
  std::string reason{};  // metav1.StatusReason: "NotFound", "Conflict", …; empty: the body is not a Status
  std::string kind{};    // details: the resource of the object that the answer is about: "pods"
  std::string name{};    // details: its name
  std::vector<Cause> causes{};
  int retry_after = 0;  // seconds; 0: absent
};

// A request to the API server in the terms of RBAC (client/request_info.h makes it).
struct RequestInfo {
  std::string verb{};  // "create", "get", "list", "watch", "update", "patch", "delete", "deletecollection"
  std::string resource{};  // "pods/binding"; the path if it is not of a resource
  std::string namespace_{}, name{};
  std::string line{};  // for people: "GET /api/v1/pods"

  bool operator==(const RequestInfo&) const = default;
};

struct Error {
  enum class Kind {
    invalid,      // the input is wrong; exit code 2 when it came from the command line
    unavailable,  // the peer was not reachable, or the connection was cut
    untrusted,    // the peer's certificate is not trusted
    timeout,      // a deadline passed
    cancelled,    // stopped
    not_leader,   // not sent, or not completely: this process has no right to write
    too_large,    // the reply's body is over the limit
    status,       // the server answered with an error; see `status`
    internal,     // a bug or a fault of the environment
  };

  Kind kind = Kind::internal;
  std::string message{};  // what went wrong, without the request; of an answer: the server's message
  // A write was sent and its reply was lost: it may have taken effect. Read the object before a retry.
  bool maybe_applied = false;
  std::vector<Finding> findings{};  // of Kind::invalid: what the message says, one by one; may be empty
  ApiStatus status{};
  RequestInfo request{};  // empty if the error is not of a request to the API server

  // For people: "GET /api/v1/nodes: connection refused".
  std::string text() const;
};

// The findings; else one with the message.
std::vector<Finding> findings_of(const Error& error);

}  // namespace podium
