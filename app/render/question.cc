#include "app/render/question.h"

#include "app/render/exit_codes.h"
#include "app/render/nodes.h"
#include "app/render/weights.h"
#include "app/render/what_if.h"

namespace podium::render {
namespace {

NodesAnswers of_one(const Report& report) {
  return {.asked = {{report.ns, answer_of(report)}}, .unasked = {}};
}

}  // namespace

std::string question(const Report& report, const std::string& subject, const Options& options) {
  if (!explain::refusal_of(report)) {
    const auto& answer = answer_of(report);
    if (answer.nodes_wanted) return nodes_wanted_table(of_one(report), {}, options);
    if (answer.nodes_spare) return nodes_spare_table(of_one(report), options);
    if (answer.weights_compared) return weights_compared(report, *answer.weights_compared, options);
  }
  return what_if(report, subject, options);
}

int question_exit_code(const Report& report) {
  if (!explain::refusal_of(report)) {
    const auto& answer = answer_of(report);
    if (answer.nodes_wanted) return nodes_wanted_exit_code(of_one(report));
    if (answer.nodes_spare) return nodes_spare_exit_code(of_one(report));
    if (answer.weights_compared) return kAllFit;
  }
  return exit_code(report);
}

}  // namespace podium::render
