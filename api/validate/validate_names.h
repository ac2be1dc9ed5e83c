// FieldFindings: collects validation errors. Also has the checks that the validators of this folder share.
// Threads: a FieldFindings belongs to one call.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/values/labels.h"
#include "api/values/resource_list.h"
#include "base/finding.h"

namespace podium::api {
struct ObjectMeta;
struct Pod;
}  // namespace podium::api

namespace podium::api::detail {

class FieldFindings {
 public:
  void required(const std::string& path, std::string_view detail = "");
  void bad(const std::string& path, std::string_view value, std::string_view problem);  // Invalid value
  void unsupported(const std::string& path, std::string_view detail);
  void duplicate(const std::string& path, std::string_view value);
  void forbidden(const std::string& path, std::string_view detail);
  std::vector<Finding> take() { return std::move(findings_); }

 private:
  void add(const std::string& path, std::string problem, std::string_view detail);
  std::vector<Finding> findings_;
};

std::string item(const std::string& path, std::size_t index);  // "path[index]"

void check_metadata(const ObjectMeta&, FieldFindings&);
void check_labels(const Labels&, const std::string& path, FieldFindings&);
void check_label_key(std::string_view key, const std::string& path, FieldFindings&);
void check_label_value(std::string_view value, const std::string& path, FieldFindings&);
// Amounts must not be negative; those of pods and of non-native resources must be integers.
void check_amounts(const ResourceList&, const std::string& path, FieldFindings&);
// Selectors, affinity, spread constraints, tolerations and gates.
void check_constraints(const Pod&, FieldFindings&);

}  // namespace podium::api::detail
