// Budget: the time that a what-if may take.
//
// Threads: called on the thread that evaluates. Errors: none.
#pragma once

#include <functional>

namespace podium::explain {

// Returns whether there is time to go on. Asked before each decision, and in every loop over what the
// question or the cluster has that may take more than some milliseconds: what-ifs keep their deadline and a
// stop of the process within 100 ms or so. The core has no clock. May be empty.
using Budget = std::function<bool()>;
inline const Budget kNoBudget{};
inline bool has_time(const Budget& budget) { return !budget || budget(); }

}  // namespace podium::explain
