// Result<T>: the one error type of podium.
//
// An Error is a value: what happened, where, and (for a reply of an API server) the HTTP code and the
// machine-readable reason. What a library throws is converted in the file that calls the library. A node that
// does not fit a pod is data, not an Error.
#pragma once

#include <expected>
#include <string>
#include <utility>
#include <vector>

namespace podium {

struct Error {
  enum class Kind {
    invalid,      // the input is wrong; exit code 2 when it came from the command line
    unavailable,  // the other side could not be reached, or asked to come back later; worth a retry
    timeout,      // a deadline passed
    cancelled,    // a stop was asked for
    status,       // the API server answered with a Status object; see code and reason
    internal,     // a bug or an environment fault
  };

  Kind kind = Kind::internal;
  std::string message;
  int code = 0;         // HTTP status code, 0 where there was no reply
  std::string reason;   // metav1.StatusReason: "NotFound", "Conflict", "AlreadyExists", "Expired", …
  int retry_after = 0;  // seconds, from Retry-After; 0 where the server did not say
  // The request was sent and its reply never came: it may have taken effect. Look before sending it again.
  bool maybe_applied = false;
};

template <typename T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(Error::Kind kind, std::string message) {
  Error error;
  error.kind = kind;
  error.message = std::move(message);
  return std::unexpected(std::move(error));
}
inline std::unexpected<Error> invalid(std::string message) {
  return fail(Error::Kind::invalid, std::move(message));
}

// Joins the messages of several findings, one a line, for input that is reported whole rather than by its
// first fault.
std::string join_lines(const std::vector<std::string>& lines);

}  // namespace podium
