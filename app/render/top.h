// The live view: the pods that wait, and the last decisions.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/render/options.h"
#include "app/render/pending.h"
#include "app/render/report.h"
#include "app/render/text.h"

namespace podium::render {

// The table of pending() and a line for each decision, newest first. If there are decisions to show, pods
// that wait take at most half of the screen's rows.
std::string top(const std::vector<WaitingGroup>& groups, std::vector<Report> decisions, const Screen& screen,
                const Options& options);

// A line about a decision, and the headings of its columns. The first one is of numbers.
Cells decision_heading();
Cells decision_cells(const Report& report, const Options& options);

// Cuts text to the screen, between characters. Escape sequences of colours take no column and are closed.
std::string cut_to(const std::string& text, const Screen& screen);

}  // namespace podium::render
