// FieldPath: the place of a value in the document that its author wrote, as messages name it.
//
// A question is a SchedulingReport, the body of a request or a manifest of a file. Its reader gets the paths
// of that document, so that no message is rewritten later.
//
// Threads: values. Errors: none.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/finding.h"

namespace podium::explain {

class FieldPath {
 public:
  FieldPath(std::string path) : text_(std::move(path)) {}
  FieldPath(const char* path) : text_(path) {}
  // The whole document, whose fields are named without it: `name` is what a message about all of it says.
  static FieldPath document(const char* name) {
    FieldPath path(name);
    path.is_document_ = true;
    return path;
  }

  // A field, or a path below this one: "containers", "spec.containers[0]".
  FieldPath operator/(std::string_view below) const {
    return is_document_ ? FieldPath(std::string(below)) : FieldPath(text_ + '.' + std::string(below));
  }
  FieldPath operator[](std::size_t index) const { return text_ + '[' + std::to_string(index) + ']'; }

  const std::string& text() const { return text_; }
  Finding said(std::string_view reason) const { return {.path = text_, .reason = std::string(reason)}; }

 private:
  std::string text_;
  bool is_document_ = false;
};

}  // namespace podium::explain
