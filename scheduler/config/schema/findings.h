// Findings: collects all errors and warnings of a configuration file.
//
// Each finding is "FILE:LINE: path: reason", with the text of upstream's field.Error if there is one. A field
// that cannot be decoded gets one error; later errors about it, or about fields below it, are dropped.
// Owner: one load(). Threads: not thread-safe.
#pragma once

#include <boost/json/value.hpp>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace podium::config {

class Findings {
 public:
  explicit Findings(std::string file) : file_(std::move(file)) {}

  // Sets the line map (path → line) of the document that the next findings are about. It must outlive them.
  void use_lines(const std::map<std::string, int>* lines);

  void error(std::string_view path, std::string_view text);
  // Adds an error and marks the field as one that cannot be decoded.
  void unreadable(std::string_view path, std::string_view text);
  void warn(std::string_view path, std::string_view text);

  // Source: apimachinery util/validation/field.
  void invalid(std::string_view path, const boost::json::value& value, std::string_view detail);
  void required(std::string_view path, std::string_view detail = "");
  void duplicate(std::string_view path, const boost::json::value& value);
  void not_supported(std::string_view path, std::string_view value,
                     const std::vector<std::string>& supported);
  void forbidden(std::string_view path, std::string_view detail);

  bool ok() const { return errors_.empty(); }
  std::string text() const;  // the errors, one per line, in file order
  std::vector<std::string> warnings() const;

 private:
  struct Finding {
    int line = 0;
    std::string text;
  };
  Finding make(std::string_view path, std::string_view text) const;
  bool is_consequence(std::string_view path) const;

  std::string file_;
  const std::map<std::string, int>* lines_ = nullptr;
  std::set<std::string, std::less<>> unreadable_;
  std::vector<Finding> errors_, warnings_;
};

// child("profiles[0]", "plugins") is "profiles[0].plugins"; item("profiles", 0) is "profiles[0]".
std::string child(std::string_view path, std::string_view name);
std::string item(std::string_view path, std::size_t index);

}  // namespace podium::config
