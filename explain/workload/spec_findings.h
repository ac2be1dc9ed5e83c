// SpecFindings: all that is wrong with a spec, each as "path: reason".
//
// Threads: belongs to one call. Errors: error() and result() have all findings in one line (Kind::invalid).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "explain/workload/field_path.h"

namespace podium::explain {

class SpecFindings {
 public:
  void add(const FieldPath& path, std::string_view reason) { lines_.push_back(path.said(reason)); }
  void add(const Error& error);  // each line of its message has its path
  bool none() const { return lines_.empty(); }
  const std::vector<std::string>& lines() const { return lines_; }
  Error error() const;
  Result<void> result() const { return none() ? Result<void>() : std::unexpected(error()); }

 private:
  std::vector<std::string> lines_;
};

// A decoder's Error, a line for each fault, with its paths below another one.
Error below(const FieldPath& path, const Error& error);

}  // namespace podium::explain
