// The answer to a question (a SchedulingReport with dryRun), and the exit code for scripts.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "app/render/report.h"
#include "app/render/why.h"

namespace podium::render {

// How many more fit after all that were asked for: of a second question.
struct Room {
  std::size_t more = 0;
  bool at_least = false;           // it was not asked about more
  std::optional<Failure> failure;  // what stops the next one
};

// What the user may see beside the answer. All of it may be empty.
struct Beside {
  std::map<std::string, std::string> zone_of;             // by node
  std::optional<std::map<std::string, std::size_t>> now;  // pods by zone that the workload has now
  std::optional<Room> room;
  std::string next;  // other options to try
};

// With one replica: as why(). With more: how many fit, where, and what stopped the next.
std::string what_if(const Report& report, const std::string& subject, const Options& options,
                    const Beside& beside = {});

// How many fit, of as many as were asked for.
std::string capacity(const Report& report, const std::string& subject, const Options& options);

// 0: fits, 3: partly, 4: does not fit, 2: refused, 1: no answer.
int exit_code(const Report& report);

}  // namespace podium::render
