// SpecFindings: all that is wrong with a spec.
//
// Threads: belongs to one call. Errors: error() and result() have all findings; the message is in one line.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "explain/workload/field_path.h"

namespace podium::explain {

class SpecFindings {
 public:
  void add(const FieldPath& path, std::string_view reason) { findings_.push_back(path.said(reason)); }
  void add(Finding finding) { findings_.push_back(std::move(finding)); }
  void add(const Error& error);  // the paths of its findings are those of the spec
  bool none() const { return findings_.empty(); }
  const std::vector<Finding>& findings() const { return findings_; }
  Error error() const;
  Result<void> result() const { return none() ? Result<void>() : std::unexpected(error()); }

 private:
  std::vector<Finding> findings_;
};

// A decoder's finding or Error, with its paths below another one.
Finding below(const FieldPath& path, const Finding& finding);
Error below(const FieldPath& path, const Error& error);

}  // namespace podium::explain
