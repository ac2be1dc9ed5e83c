// Finding: one thing that is wrong with an input, and where. Its reader makes the text, and finds the line of
// the user's file by the path.
//
// Threads: a value. Errors: none.
#pragma once

#include <string>
#include <vector>

namespace podium {

struct Finding {
  std::string path{};  // of the value: "spec.containers[0].image"; empty: the whole input
  std::string reason{};
  bool is_whole = false;  // the reason has the path in it, or is about no single place: "and 3 more"

  std::string text() const { return is_whole || path.empty() ? reason : path + ": " + reason; }
  bool operator==(const Finding&) const = default;
};

// Their texts, one per line.
std::string join_lines(const std::vector<Finding>& findings);

}  // namespace podium
