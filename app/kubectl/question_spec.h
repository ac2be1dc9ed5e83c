// The spec of a question (a SchedulingReport with dryRun) from the flags of `podium whatif`.
//
// Threads: pure functions, but check_flag_nodes(). Errors: Kind::invalid, naming all flags that are wrong.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/kubectl/cluster.h"
#include "app/render/report.h"
#include "base/problems.h"
#include "base/result.h"

namespace podium::kubectl {

inline constexpr auto kProfileHelp = "the profile of podium's configuration";  // of --profile

struct QuestionFlags {
  int replicas = 0;                  // 0: the workload's own, or 1
  std::vector<std::string> weights;  // STRATEGY=WEIGHT[,…]
  std::vector<std::string> drain, nodes;
  int add_nodes = 0;
  std::string like;  // the node that added ones are copies of
  std::string profile;
  bool fixes = false;
};

// The pairs of --weights; what is wrong with them goes to `problems`.
boost::json::array strategies_of(const std::vector<std::string>& flags, Problems& problems);

// The whole spec except the subject (template, podRef or workloadRef). Nodes are added before others are
// drained, so that the drained pods may use them.
Result<boost::json::object> question_spec(const QuestionFlags& flags);

// The findings of a question that is refused, with the flags in place of the fields, such as "spec.profile".
// nullopt: some are about fields that no flag sets. `changes`: how many of spec.changes come from flags; they
// are first.
std::optional<Error> flags_error(const std::vector<Finding>& findings, std::size_t changes);

// Whether the nodes of --drain and --like exist, as far as the user may get them.
Result<void> check_flag_nodes(const QuestionFlags& flags, Cluster& cluster);

// A question needs a pod. The template of one that fits nowhere, so it does not take room from the others.
boost::json::value no_pod();

// Options that the question does not use yet: "--weights NodeResourcesFit=5, --drain n1".
std::string other_options(const QuestionFlags& flags, const render::Report& report);

// The object to create. podium deletes it soon if its author does not; `keep`: it is
// kept like other questions.
boost::json::value question_object(const std::string& ns, const std::string& name, boost::json::object spec,
                                   bool keep);

}  // namespace podium::kubectl
