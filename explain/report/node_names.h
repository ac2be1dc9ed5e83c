// NodeNames: withholds the names of nodes from a report, for who may not know them (withholdNodeNames).
//
// Each name becomes "withheld-1", "withheld-2" …: the same name the same alias within one report, and another
// one in the next. Names stand in fields of their own, and in messages, where each word is compared with the
// names. Names that the asker has said are kept.
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

  // `is_node` says of a word of a message whether it is a node's name. Of a node that the asker has named,
  // those that a what-if adds like it are kept, too.
  explicit NodeNames(IsNode is_node, const std::vector<std::string>& kept = {});

  void withhold(ReportStatus& status);

 private:
  bool is_kept(std::string_view name) const;
  const std::string& alias_of(const std::string& name);
  void name(std::string& field);    // of a node
  void text(std::string& message);  // in which names may stand
  void value(boost::json::value&);  // of a fix: names by their field, texts else
  void values(ReportStatus&);       // of taints and labels

  const IsNode is_node_;
  const std::set<std::string, std::less<>> kept_;
  std::map<std::string, std::string, std::less<>> aliases_;
};

// The same for a decision, of which the cluster's other names are not at hand. What the pod itself says, the
// node that it is on, is kept. The message of a failed attempt may have any name, so all of it goes.
void withhold_node_names(ReportStatus& decision);

}  // namespace podium::explain
