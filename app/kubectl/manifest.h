// From manifests to questions: kinds that create pods, the pod that one of them would create, and the
// template of the question.
//
// Threads: pure functions. Errors: Kind::invalid, naming the source.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/decode/pod_makers.h"
#include "base/result.h"
#include "client/api.h"

namespace podium::kubectl {

using api::PodMaker;

struct FileObjects {
  std::vector<boost::json::value> makers;  // objects that create pods; also items of Lists
  std::vector<boost::json::value> claims;  // PersistentVolumeClaims in the same files
  std::vector<std::string> not_asked;      // the other kinds, once each, and skipped objects with the reason
};
Result<FileObjects> objects_of_file(std::string_view text, const std::string& source);

// The pod that the object would create, without its name.
Result<boost::json::value> pod_of(const boost::json::value& object, const std::string& ns);

// The object as a question's template: with the pod's spec after admission, and without the fields that only
// a stored object has. For a Pod its metadata and spec; for the others the whole manifest.
boost::json::value template_of(const boost::json::value& object, const boost::json::value& admitted);

// The change that places the pods of a template_of() before those of the question.
boost::json::object pods_before(boost::json::value pod_template, int replicas);
// The changes that add the claims of the namespace `ns`. Claims without a namespace belong to it.
boost::json::array claims_before(const std::vector<boost::json::value>& claims, const std::string& ns,
                                 const std::string& default_ns);

}  // namespace podium::kubectl
