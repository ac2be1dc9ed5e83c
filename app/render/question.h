// The answer to a question as its author wrote it: about pods, or a search among the nodes or the weights.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <string>

#include "app/render/options.h"
#include "app/render/report.h"

namespace podium::render {

// `subject`: the reader's name for what the question is about, "shop/web".
std::string question(const Report& report, const std::string& subject, const Options& options);

// As exit_code(); of a search 0 if it found what it looked for, 3: for some of the pods, 4: for none.
int question_exit_code(const Report& report);

}  // namespace podium::render
