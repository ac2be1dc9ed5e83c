// The kinds of objects that make pods, and the objects of a file that make some. All commands that ask where
// the pods of a file would go read it with sort_objects(), so that they agree on the question.
//
// Threads: pure functions. Errors: see sort_objects().
#pragma once

#include <boost/json/value.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/text/yaml.h"
#include "base/problems.h"

namespace podium::api {

struct PodMaker {
  std::string_view kind, short_name, plural;
  std::string_view group, version;  // of the API; the group of the core is ""
  std::string_view pod_template;    // JSON pointer; empty: the object is a pod
  bool is_scaled = false;           // spec.replicas is its number of pods; the default is 1

  std::string api_version() const;  // "apps/v1", "v1"
};

std::span<const PodMaker> pod_makers();

// Null: another kind, or a kind of the same name in another API group or version.
const PodMaker* pod_maker(std::string_view api_version, std::string_view kind);

// By what users write for a kind, in any case: "Deployment", "deployments", "deploy", "deployment.apps".
// Null: none.
const PodMaker* pod_maker_named(std::string_view word);

// What a file without a pod maker contains, for errors.
inline constexpr std::string_view kNoPodMaker = "no pod and no object with a pod template";

// What an object of a file is for those who ask where the file's pods would go.
enum class Role : std::uint8_t {
  makes_pods,
  question,  // a SchedulingReport
  context,   // of a kind that decisions depend on: it becomes part of the cluster
  ignored    // of another kind
};

struct SortedObjects {
  struct Object {
    boost::json::value value;
    std::string where;                // "web.yaml: document 2 (line 7)"
    const PodMaker* maker = nullptr;  // of Role::makes_pods
    Role role = Role::ignored;

    // Where a field of the object is: "web.yaml:12", or `where` if the lines are not known. `path`:
    // "spec.template.spec"; of a field that is not there, the place of what it would be in.
    std::string place(std::string_view path) const;

    std::shared_ptr<const std::map<std::string, int>> lines = nullptr;  // of the document
    std::string source = {}, prefix = {};  // the prefix of the object's paths in `lines`
  };
  std::vector<Object> objects;  // in the order of the file
  // What is left out, and why: "Job migrate (helm hook post-install)".
  std::vector<std::string> skipped;
};

// Sorts the objects of the documents and of the Lists in them. Skips helm's hooks, which do not run together
// with the chart's own pods, and kinds that are called like one of Kubernetes in another API group. Names
// ignored objects with a pod template among the skipped ones. What is not an object with a kind is a problem.
SortedObjects sort_objects(std::vector<Document> documents, const std::string& source, Problems& problems);

}  // namespace podium::api
