// FieldPath: the place of a value in the document that its author wrote, as messages name it.
//
// A reader gets the paths of the document that the author wrote: a configuration, or for a question a
// SchedulingReport, the body of a request or a manifest of a file. So no message is rewritten later.
//
// Threads: values. Errors: none.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/finding.h"

namespace podium {

struct Error;

class FieldPath {
 public:
  FieldPath(std::string path) : text_(std::move(path)) {}
  FieldPath(std::string_view path) : text_(path) {}
  FieldPath(const char* path) : text_(path) {}
  // The whole document, whose fields are named without it: `name` is what a message about all of it says.
  static FieldPath document(const char* name) {
    FieldPath path(name);
    path.is_document_ = true;
    return path;
  }

  // A field, or a path below this one: "containers", "spec.containers[0]".
  FieldPath operator/(std::string_view below) const {
    return is_document_ ? FieldPath(below) : FieldPath(text_ + '.' + std::string(below));
  }
  FieldPath operator[](std::size_t index) const { return text_ + '[' + std::to_string(index) + ']'; }

  const std::string& text() const { return text_; }
  Finding said(std::string_view reason) const { return {.path = text_, .reason = std::string(reason)}; }

 private:
  std::string text_;
  bool is_document_ = false;
};

// "a.b[1].c" → "a.b[1]" → "a.b" → "a" → "".
std::string_view parent_path(std::string_view path);

// A decoder's finding or Error, with its paths below another one.
Finding below(const FieldPath& path, const Finding& finding);
Error below(const FieldPath& path, const Error& error);

}  // namespace podium
