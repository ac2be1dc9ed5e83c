// NodeNames: withholds the names of nodes from a report for users who may not know them (withholdNodeNames).
//
// Each name becomes "withheld-1", "withheld-2" …. Within one report a name has one alias; another report uses
// different aliases. Names appear in their own fields and in messages, whose words are compared with the
// names. Names that the asker used are kept.
//
// Owner: one report. Threads: none. Errors: none.
#pragma once

#include <boost/json/value.hpp>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "explain/report/report.h"

namespace podium::explain {

class NodeNames {
 public:
  using IsNode = std::function<bool(std::string_view)>;

  // `is_node` returns whether a word of a message is a node's name. If the asker named a node, the names of
  // nodes that a what-if adds like it are also kept.
  explicit NodeNames(IsNode is_node, const std::vector<std::string>& kept = {});

  void withhold(ReportStatus& status);

 private:
  bool is_kept(std::string_view name) const;
  const std::string& alias_of(const std::string& name);
  void name(std::string& field);    // of a node
  void text(std::string& message);  // which may contain names
  void value(boost::json::value&);  // of a fix: names by their field, else texts
  void values(ReportStatus&);       // of taints and labels

  const IsNode is_node_;
  const std::set<std::string, std::less<>> kept_;
  std::map<std::string, std::string, std::less<>> aliases_;
};

// The same for a decision, for which the other names of the cluster are not available. Keeps the node that
// the pod is on, which the pod itself shows. Removes the message of a failed attempt, which
// may contain any name.
void withhold_node_names(ReportStatus& decision);

}  // namespace podium::explain
