// From manifests to questions: kinds that create pods, the pod that one of them would create, and the
// template of the question.
//
// Threads: pure functions. Errors: Kind::invalid, naming the source.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/decode/pod_makers.h"
#include "base/problems.h"
#include "base/result.h"
#include "client/api.h"

namespace podium::api {
class PodAdmission;
}

namespace podium::kubectl {

using api::PodMaker;

using FileObject = api::SortedObjects::Object;
struct FileObjects {
  std::vector<FileObject> makers;     // objects that create pods; also items of Lists
  std::vector<FileObject> questions;  // SchedulingReports with dryRun
  std::vector<FileObject> others;     // of the other kinds, in the order of the file
  std::vector<std::string>
      not_asked;  // kinds that no decision depends on, and skipped objects with the reason
};
// All that is wrong with its workloads is in the Error, each with its place: "web.yaml:12: spec.template: …".
// `ns`: of objects that name none.
// `may_make_none`: a file without workloads and questions is not an error.
Result<FileObjects> objects_of_file(std::string_view text, const std::string& source, const std::string& ns,
                                    bool may_make_none = false);

// By kind and name.
using KnownMakers = std::map<std::string, boost::json::value>;
// Drops a workload that another file has in the same form, and adds the file's workloads to the known ones.
void drop_copies(FileObjects& objects, KnownMakers& known, Problems& problems);

// The objects in the order in which their pods are placed (explain/workload/placing_order.h). `ns`: of those
// that name no namespace. `admission`: knows the priority classes.
std::vector<const FileObject*> in_placing_order(const std::vector<const FileObject*>& makers,
                                                const std::string& ns, const api::PodAdmission& admission);

// The pod that the object would create, without its name.
Result<boost::json::value> pod_of(const boost::json::value& object, const std::string& ns);

// The object as a question's template: with the pod's spec after admission, and without the fields that only
// a stored object has. For a Pod its metadata and spec; for the others the whole manifest.
boost::json::value template_of(const boost::json::value& object, const boost::json::value& admitted);

// The change that places the pods of a template_of() before those of the question.
boost::json::object pods_before(boost::json::value pod_template, int replicas);
}  // namespace podium::kubectl
