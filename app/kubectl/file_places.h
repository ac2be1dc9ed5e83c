// Where the fields that a message names are in the user's files: "web.yaml:12: spec.template.spec: …".
//
// podium names the fields of its question, whose template is the user's object and whose changes are other
// objects of the files; the API server names those of the object.
//
// Threads: pure functions; the objects must outlive a QuestionSource. Errors: none.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <vector>

#include "api/decode/pod_makers.h"
#include "base/error.h"

namespace podium::kubectl {

// The objects that a question was made of.
struct QuestionSource {
  const api::SortedObjects::Object* subject = nullptr;  // of spec.template; null: not of a file
  // By the index in spec.changes: the objects of one change; empty: not of a file.
  std::vector<std::vector<const api::SortedObjects::Object*>> changes = {};
  const api::SortedObjects::Object* question = nullptr;  // the question itself; null: a command made it
};

// What is wrong with the question, with the place and the path of the file's object.
std::string with_place(const Finding& finding, const QuestionSource& source);
// The answered question; if it is refused, with the places and paths of the files in its messages.
boost::json::value with_places(boost::json::value report, const QuestionSource& source);
// What is wrong with the object, a line for each finding, or for each cause that the API server gives.
std::string with_places(const Error& error, const api::SortedObjects::Object& object);

}  // namespace podium::kubectl
