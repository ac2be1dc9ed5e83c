// Result<T>: a T or an Error (base/error.h). Functions that can fail return it.
//
// Exceptions of a library are converted in the file that calls it. These are not Errors:
// - A node that does not fit a pod is data: a Verdict or a Reason (scheduler/framework), with the code and
//   the parameters that the report shows. So is a failure of a plugin (Code::error, `std::string error`): it
//   ends as kube-scheduler's text in the pod's condition. What plugins call returns that text in
//   expected<T, string>: csi_migration, the reservations, the search for devices.
// - A CEL expression that fails has an error value, whose text is all that it has. So cel/ and
//   devices/cel_device return expected<T, string>.
// - Answers: Retention's NoRoom, in expected<T, NoRoom>; a reply of the HTTPS API, in expected<T, Reply>.
// - The outcomes in cycle/seams.h carry text for people next to the state that the scheduler acts on.
#pragma once

#include <expected>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"

namespace podium {

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

inline std::unexpected<Error> invalid(std::vector<Finding> findings) {
  auto error = invalid(join_lines(findings));
  error.error().findings = std::move(findings);
  return error;
}
inline std::unexpected<Error> invalid(Finding finding) {
  std::vector<Finding> one;
  one.push_back(std::move(finding));
  return invalid(std::move(one));
}

// Joins findings, one per line, to report all faults of an input and not only the first.
std::string join_lines(const std::vector<std::string>& lines);

}  // namespace podium
