// Result<T>: podium's only error type.
//
// An Error is a value: what happened, where, and for an API server's reply the HTTP code and the reason.
// Exceptions of a library are converted in the file that calls it. A node that does not fit a pod is data,
// not an Error.
#pragma once

#include <expected>
#include <string>
#include <utility>
#include <vector>

namespace podium {

struct Error {
  enum class Kind {
    invalid,      // the input is wrong; exit code 2 when it came from the command line
    unavailable,  // the peer was not reachable or asked to retry later
    timeout,      // a deadline passed
    cancelled,    // stopped
    status,       // the API server replied with an error status; see code and reason
    internal,     // a bug or a fault of the environment
  };

  Kind kind = Kind::internal;
  std::string message;
  int code = 0;         // HTTP status code; 0: no reply
  std::string reason;   // metav1.StatusReason: "NotFound", "Conflict", "AlreadyExists", "Expired", …
  int retry_after = 0;  // seconds, from Retry-After; 0: absent
  // A write was sent and its reply was lost: it may have taken effect. Read the object before a retry.
  bool maybe_applied = false;
};

// A T or an Error. [[nodiscard]]: a caller that wants neither says so with a cast to void and a comment.
template <typename T>
class [[nodiscard]] Result : public std::expected<T, Error> {
  using Base = std::expected<T, Error>;

 public:
  using Base::Base;
  Result() = default;
  Result(Base base) : Base(std::move(base)) {}
};

inline std::unexpected<Error> fail(Error::Kind kind, std::string message) {
  Error error;
  error.kind = kind;
  error.message = std::move(message);
  return std::unexpected(std::move(error));
}
inline std::unexpected<Error> invalid(std::string message) {
  return fail(Error::Kind::invalid, std::move(message));
}

// Joins findings, one per line, to report all faults of an input and not only the first.
std::string join_lines(const std::vector<std::string>& lines);

}  // namespace podium
