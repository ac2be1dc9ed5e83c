// The queues of the WhatIfController: questions to be answered, and answers to be written. Both are bounded
// in total and per namespace, and refuse entries beyond the bounds.
//
// Owner: WhatIfController. Threads: as async::Writers. Errors: none.
#pragma once

#include <chrono>
#include <string>

#include "async/writers.h"
#include "controller/what_if/answer_patch.h"
#include "scheduler/config/values/config.h"

namespace podium::controller {

// New questions go before those that are asked again, answers before TooManyQuestions refusals.
enum QuestionLane : unsigned { kNew, kAgain };
enum AnswerLane : unsigned { kAnswer, kRefusal };

// A question in the queue.
struct WaitingQuestion {
  std::string name;
  bool again = false;  // spec.refreshSeconds: asked again after its answer
};

using WhatIfQuestions = async::Writers<WaitingQuestion>;
using WhatIfAnswers = async::Writers<AnswerPatch>;

inline constexpr std::size_t kAnswers = 1024, kAnswersPerNamespace = 32;
inline constexpr unsigned kAnswerWriters = 4;
inline constexpr unsigned kReadAhead = 15;  // questions that were read and wait for their turn

inline async::WritersOptions options_for_questions(const config::Podium::WhatIf& what_if) {
  async::WritersOptions options;
  options.name = "what-ifs";
  // Questions that were read wait in Asker's turns next to those of the HTTPS API, one of a namespace for
  // each worker, so that the turns choose among namespaces.
  options.workers = static_cast<unsigned>(what_if.workers) + kReadAhead;
  options.queue.busy_per_namespace = static_cast<std::size_t>(what_if.workers);
  options.queue.capacity = static_cast<std::size_t>(what_if.max_waiting);
  options.queue.per_namespace = static_cast<std::size_t>(what_if.max_waiting_per_namespace);
  options.queue.refuse_when_full = true;
  // Usually enough time to write some of its answers.
  options.queue.of_namespace.first = std::chrono::milliseconds(100);
  return options;
}

inline async::WritersOptions options_for_answers() {
  async::WritersOptions options;
  options.name = "what-if answers";
  options.workers = kAnswerWriters;
  options.queue.capacity = kAnswers;
  options.queue.per_namespace = kAnswersPerNamespace;
  options.queue.refuse_when_full = true;
  return options;
}

}  // namespace podium::controller
