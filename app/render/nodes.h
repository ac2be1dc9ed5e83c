// The answers to "which nodes do the pending pods need?" and "which nodes can be removed?".
//
// Joins podium's answers to the same question in several namespaces: each names only what is in its own.
// Threads: pure functions. Errors: none; the text says what is not known.
#pragma once

#include <string>
#include <vector>

#include "app/render/options.h"
#include "app/render/report.h"
#include "app/render/text.h"

namespace podium::render {

struct NodesAnswer {
  std::string ns;  // of the question
  explain::ReportAnswer answer;
};

struct NodesAnswers {
  std::vector<NodesAnswer> asked;  // not empty; the numbers are those of the first
  Unasked unasked;
};

// `spare`: what can be removed, for the last line; empty: not known.
std::string nodes_wanted_table(const NodesAnswers& answers, const std::vector<explain::NodesSpare>& spare,
                               const Options& options);
std::string nodes_spare_table(const NodesAnswers& answers, const Options& options);

// The first line of the table.
std::string nodes_verdict(const NodesAnswers& answers, const Style& style);
// Lines that say how good the answer is, and what to do with it. Not what only kubectl knows.
std::string nodes_notes(const NodesAnswers& answers);

// What blocks the other nodes: "run pods that have no other place".
std::string blocked_words(const explain::BlockedNodes& blocked);

// 0: all pods that wait would be placed, 3: some, 4: none.
int nodes_wanted_exit_code(const NodesAnswers& answers);
// 0: a node can be removed, 4: none can.
int nodes_spare_exit_code(const NodesAnswers& answers);

}  // namespace podium::render
