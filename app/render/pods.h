// Renders several pods, a line each: the node of each, or the reason why it waits.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/render/pending.h"

namespace podium::render {

struct PodLine {
  std::string subject;            // "shop/web-07"
  std::optional<WaitingPod> pod;  // nullopt: it does not wait
  std::string node;               // its node; empty: none
  std::optional<Report> report;   // nullopt: there is none
  std::string fate;               // "it no longer exists"; empty: it is there
};

std::string pods_table(std::vector<PodLine> pods, const Options& options);

}  // namespace podium::render
