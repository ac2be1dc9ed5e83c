// Findings: everything that is wrong with a configuration file, told at once.
//
// Each finding is "FILE:LINE: path: reason", in the words of upstream's field.Error where it has words. A
// field that could not be read is blamed once: what validation says about it, or about anything below it, is
// a consequence and left out.
// Owner: one load(). Threads: none.
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

  // The line map of the document that the next findings are about; must outlive them.
  void use_lines(const std::map<std::string, int>* lines);

  void error(std::string_view path, std::string_view text);
  // The field could not be read; see above.
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
  std::string text() const;  // the errors, one a line, in the order of the file
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

std::string child(std::string_view path, std::string_view name);  // "profiles[0]" and "plugins":
                                                                  // "profiles[0].plugins"
std::string item(std::string_view path, std::size_t index);       // "profiles" and 0: "profiles[0]"

}  // namespace podium::config
