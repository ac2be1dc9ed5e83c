// The nodes that the user names, in the forms of kubectl.
//
// Threads: the Cluster's. Errors: Kind::invalid for what is not a name; else as Cluster's.
#pragma once

#include <string>
#include <vector>

#include "app/kubectl/cluster.h"
#include "base/problems.h"

namespace podium::kubectl {

inline const client::Resource kNodeResource("", "v1", "nodes", false);

// "n1", "node/n1", "nodes/n1", "no/n1", "nodes n1 n2" as in kubectl, and "n1,n2". Each name once; what is not
// a name is added to the problems.
std::vector<std::string> parse_nodes(const std::vector<std::string>& words, Problems& problems);

struct MissingNodes {
  std::vector<std::string> lines;   // "there is no node n1. Did you mean n-1?"
  std::vector<std::string> unread;  // the user may not get them
};
MissingNodes missing_nodes(const std::vector<std::string>& names, Cluster& cluster);

// Fails with "there is no node n1. …" for each that is missing. podium is asked about those that the user may
// not get.
Result<void> check_nodes(const std::vector<std::string>& names, Cluster& cluster);
// The same for the node of --like; "": none.
Result<void> check_like(const std::string& like, Cluster& cluster);

// The named nodes and those with these labels ("": none), by name.
Result<std::vector<std::string>> nodes_of(const std::vector<std::string>& names, const std::string& selector,
                                          Cluster& cluster);

}  // namespace podium::kubectl
