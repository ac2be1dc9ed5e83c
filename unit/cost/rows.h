// The table of what users, kubelets and administrators can write in numbers. A new field of api/ is a line.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "unit/cost/row.h"

namespace podium::test::cost {

std::vector<Row> rows_of_pods();     // lists and maps of a pod that waits, and of one that is placed
std::vector<Row> rows_of_cluster();  // of all other kinds
std::vector<Row> rows_of_pairs();    // two that meet

// Documents. `spec`, `meta` and `status` are further members, each with a comma before it.
std::string waiting(std::string_view spec = "", std::string_view meta = "", std::string_view status = "");
std::string placed(std::string_view spec = "", std::string_view meta = "", std::string_view status = "");
std::string node(std::string_view spec = "", std::string_view labels = "", std::string_view status = "",
                 std::string_view allocatable = "");

// Rows that are not linear, or keep more than they may, and why: unit/cost/known.txt. A row that has become
// linear fails until its line there goes.
const std::map<std::string, std::string>& known();

}  // namespace podium::test::cost
