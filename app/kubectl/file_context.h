// The objects of the user's files besides their workloads: the changes that add them to the cluster of a
// question, and the names that a pod's dry run must not have, because the API server does not know them yet.
//
// Owner: a command. Threads: the Cluster's. Errors: none; what cannot be part of a question is a warning.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <set>
#include <string>
#include <vector>

#include "app/kubectl/cluster.h"
#include "app/kubectl/file_places.h"
#include "app/kubectl/manifest.h"

namespace podium::kubectl {

// Returns whether applying the file would change nothing: the stored object has every field of the file, with
// the same value.
bool is_unchanged(boost::json::value given, const boost::json::value& stored);

class FileContext {
 public:
  // Takes what the cluster lacks. The objects must outlive the FileContext. Returns a warning for each that a
  // question cannot add.
  std::vector<std::string> add(Cluster& cluster, const std::vector<FileObject>& objects);

  // The changes that add the objects of the namespace and those without one, and where they are in the files.
  boost::json::array changes(const std::string& ns, QuestionSource& source) const;

  // Removes the names of objects that the cluster lacks from the pod, and puts them back where the API
  // server's defaults replaced them.
  boost::json::object hide(boost::json::value& pod) const;
  static void restore(const boost::json::object& hidden, boost::json::value& pod);

 private:
  struct Added {
    const FileObject* object;
    std::string ns;  // empty: it has none
  };
  void append(const char* type, const char* field, const std::vector<Added>& from, const std::string& ns,
              boost::json::array& changes, QuestionSource& source) const;

  std::vector<Added> claims_, objects_;
  std::set<std::string> new_;  // "PriorityClass high", "ServiceAccount shop/web"
};

}  // namespace podium::kubectl
