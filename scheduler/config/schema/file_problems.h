// FileProblems: the problems of a configuration file, whose documents have Problems each. Its texts are
// "FILE:LINE: path: reason".
//
// Owner: one load(). Threads: not thread-safe.
#pragma once

#include <boost/json/value.hpp>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/problems.h"

namespace podium::config {

class FileProblems {
 public:
  using Lines = std::map<std::string, int>;  // of a document: path → line

  explicit FileProblems(std::string file) : file_(std::move(file)) {}

  // The Problems of a document. `lines` must outlive this object.
  Problems& of(const Lines& lines) { return documents_.emplace_back(&lines).problems; }

  explicit operator bool() const;
  std::string text() const;  // one per line, in file order
  std::vector<std::string> warnings() const;

 private:
  struct Document {
    const Lines* lines;
    Problems problems{};
  };
  std::vector<std::string> texts(const std::vector<Finding>& (Problems::*of_document)() const) const;

  std::string file_;
  std::deque<Document> documents_;  // whose references stay valid
};

ShownValue shown(const boost::json::value& value);

// child("profiles[0]", "plugins") is "profiles[0].plugins"; item("profiles", 0) is "profiles[0]".
std::string child(std::string_view path, std::string_view name);
std::string item(std::string_view path, std::size_t index);

}  // namespace podium::config
