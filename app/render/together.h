// Renders the answers about several workloads of one question: each was placed after the ones before it.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <string>
#include <vector>

#include "app/render/options.h"
#include "app/render/report.h"

namespace podium::render {

struct Together {
  std::string subject;  // "shop/cart"
  Report report;
};

// The number of workloads that fit together, then a line for each.
std::string together(const std::vector<Together>& workloads, const Options& options);

}  // namespace podium::render
