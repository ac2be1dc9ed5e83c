// Problems: collects all that is wrong with an input, so that its author sees it together.
//
// Owner: the reader of the input. Threads: one at a time. Errors: none; error() is the Error of the input.
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/field_path.h"
#include "base/result.h"

namespace podium {

// Details of findings in the API server's words. Source: apimachinery api/validation.
inline constexpr std::string_view kNegativeError = "must be greater than or equal to 0";
inline constexpr std::string_view kNotPositiveError = "must be greater than zero";

// A value as field errors show it: text in quotes, a number as it is.
struct ShownValue {
  ShownValue(std::string_view value) : text('"' + std::string(value) + '"') {}
  ShownValue(const std::string& value) : ShownValue(std::string_view(value)) {}
  ShownValue(const char* value) : ShownValue(std::string_view(value)) {}
  ShownValue(std::integral auto number) : text(std::to_string(number)) {}
  static ShownValue as_is(std::string text) {
    ShownValue shown("");
    shown.text = std::move(text);
    return shown;
  }

  std::string text;
};

class Problems {
 public:
  static constexpr std::size_t kMostShown = 20;

  void add(std::string line) { add(Finding{.reason = std::move(line)}); }
  void add(Finding finding);
  // Dropped if the value, or one that has it, is unreadable: it would be a consequence.
  void add(const FieldPath& path, std::string_view reason) { add(path.said(reason)); }
  void add(const Error& error) { add(error.message); }
  // The error's findings one by one, with their paths.
  void add_all(const Error& error);
  // Adds a finding about a value that cannot be decoded.
  void unreadable(const FieldPath& path, std::string_view reason);
  void check(const Result<void>& result) {
    if (!result) add(result.error());
  }

  // Adds a problem in the words of the API server. Source: apimachinery util/validation/field.
  void required(const FieldPath& path, std::string_view detail = "");
  void invalid(const FieldPath& path, const ShownValue& value, std::string_view detail);
  void duplicate(const FieldPath& path, const ShownValue& value);
  void not_supported(const FieldPath& path, const ShownValue& value,
                     std::span<const std::string_view> supported);
  void not_supported(const FieldPath& path, const ShownValue& value,
                     std::initializer_list<std::string_view> supported) {
    not_supported(path, value, std::span(supported.begin(), supported.size()));
  }
  void not_supported(const FieldPath& path, std::string_view detail);  // without the value
  void forbidden(const FieldPath& path, std::string_view detail);
  void too_many(const FieldPath& path, std::size_t count, std::size_t most);

  // What is allowed and has no effect; not a problem of error().
  void warn(const FieldPath& path, std::string_view text) { warnings_.push_back(path.said(text)); }

  // Returns the value, or nullopt after recording its error.
  template <typename T>
  std::optional<T> value_of(Result<T> result) {
    if (result) return std::move(*result);
    add(result.error());
    return std::nullopt;
  }

  std::vector<Finding> take() { return std::move(findings_); }
  const std::vector<Finding>& findings() const { return findings_; }
  const std::vector<Finding>& warnings() const { return warnings_; }
  std::size_t count() const { return findings_.size(); }
  explicit operator bool() const { return !findings_.empty(); }
  // Kind::invalid, with the first lines and the number of further ones.
  Error error() const;
  // Kind::invalid, with all findings in one line, for messages of conditions.
  Error error_in_line() const;
  Result<void> result_in_line() const { return *this ? std::unexpected(error_in_line()) : Result<void>(); }

 private:
  std::vector<Finding> findings_, warnings_;
  std::set<std::string, std::less<>> unreadable_;
};

}  // namespace podium
