// From manifests to what is asked: kinds that make pods, the pod that one of them would make, and the
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

#include "api/pod_makers.h"
#include "base/result.h"
#include "client/api.h"

namespace podium::kubectl {

using api::PodMaker;

struct FileObjects {
  std::vector<boost::json::value> makers;  // what makes pods; items of Lists too
  std::vector<boost::json::value> claims;  // PersistentVolumeClaims that come with them
  std::vector<std::string> not_asked;      // the other kinds, once each, and what is skipped, with the reason
};
Result<FileObjects> objects_of_file(std::string_view text, const std::string& source);

// The pod that the object would make, without a name of its own.
Result<boost::json::value> pod_of(const boost::json::value& object, const std::string& ns);

// The object as a question's template: with the pod's spec as the API server admitted it, without what only a
// stored object has. For a Pod its metadata and spec; for the others the whole manifest.
boost::json::value template_of(const boost::json::value& object, const boost::json::value& admitted);

// The change that places the pods of a template_of() before those of the question.
boost::json::object pods_before(boost::json::value pod_template, int replicas);
// The changes that add the claims of a namespace: `ns`, which is also that of claims that name none.
boost::json::array claims_before(const std::vector<boost::json::value>& claims, const std::string& ns,
                                 const std::string& default_ns);

}  // namespace podium::kubectl
