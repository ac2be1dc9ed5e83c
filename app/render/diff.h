// Renders the differences between two reports: the verdict first, then a row for each difference.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <vector>

#include "app/render/options.h"
#include "app/render/report.h"

namespace podium::render {

// A row of the table: equal in both, or not.
struct Difference {
  std::string what, a, b;
};
// All differences, in the order of the table: node, points, those of each strategy on the chosen node,
// weights, nodes that fit, and groups of rejected nodes.
std::vector<Difference> differences(const Report& a, const Report& b);

// `name_a`, `name_b`: the reader's names for them: "shop/web-07".
std::string diff(const Report& a, const Report& b, const std::string& name_a, const std::string& name_b,
                 const Options& options);
boost::json::value diff_document(const Report& a, const Report& b, const std::string& name_a,
                                 const std::string& name_b);

}  // namespace podium::render
