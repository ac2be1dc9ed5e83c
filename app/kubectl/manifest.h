// From manifests to what is asked: kinds that make pods, the pod that one of them would make, and the
// template of the question.
//
// Threads: pure functions. Errors: Kind::invalid, naming the source.
#pragma once

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

client::Resource resource_of(const PodMaker& maker);

// "deploy/web", or "deployment.apps/web" as `-o name` prints it, to its kind and name.
struct TypeAndName {
  const PodMaker* maker;
  std::string name;
};
Result<TypeAndName> parse_target(std::string_view text);

struct FileObjects {
  std::vector<boost::json::value> makers;  // what makes pods; items of Lists too
  std::vector<std::string> not_asked;      // the other kinds, once each, and what is skipped, with the reason
};
Result<FileObjects> objects_of_file(std::string_view text, const std::string& source);

// The pod that the object would make, without a name of its own.
Result<boost::json::value> pod_of(const boost::json::value& object, const std::string& ns);

// The object as a question's template: with the pod's spec as the API server admitted it, without what only a
// stored object has. For a Pod its metadata and spec; for the others the whole manifest.
boost::json::value template_of(const boost::json::value& object, const boost::json::value& admitted);

// A string at a JSON pointer; empty where there is none.
std::string text_of(const boost::json::value& value, std::string_view pointer);

}  // namespace podium::kubectl
