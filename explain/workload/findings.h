// Findings: what a validation found, each as "path: problem".
//
// Threads: a Findings belongs to one call. Errors: result() has all of them, joined by "; " (Kind::invalid).
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "explain/workload/field_path.h"

namespace podium::explain {

class Findings {
 public:
  void add(const FieldPath& path, std::string_view problem) {
    text_ += (text_.empty() ? "" : "; ") + path.said(problem);
  }
  Result<void> result() const { return text_.empty() ? Result<void>() : invalid(text_); }

 private:
  std::string text_;
};

}  // namespace podium::explain
