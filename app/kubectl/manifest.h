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

#include "base/result.h"
#include "client/api.h"

namespace podium::kubectl {

// A kind that makes pods. `pod_template`: JSON pointer to its template; empty for a Pod.
struct PodMaker {
  std::string_view kind, short_name, pod_template;
  client::Resource resource;
};

// By kind, plural or short name, in any case: "Deployment", "deployments", "deploy". Null: none.
const PodMaker* pod_maker(std::string_view word);

// "deploy/web" to its kind and name.
struct TypeAndName {
  const PodMaker* maker;
  std::string name;
};
Result<TypeAndName> parse_target(std::string_view text);

// The objects of the documents that make pods; items of Lists too. `others` gets the other kinds, once each.
Result<std::vector<boost::json::value>> objects_that_make_pods(std::string_view text,
                                                               const std::string& source,
                                                               std::vector<std::string>& others);

// The pod that the object would make, without a name of its own.
Result<boost::json::value> pod_of(const boost::json::value& object, const std::string& ns);

// The object as a question's template: with the pod's spec as the API server admitted it, without what only a
// stored object has. For a Pod its metadata and spec; for the others the whole manifest.
boost::json::value template_of(const boost::json::value& object, const boost::json::value& admitted);

// A string at a JSON pointer; empty where there is none.
std::string text_of(const boost::json::value& value, std::string_view pointer);

}  // namespace podium::kubectl
