// Reads the text of a spec in tests.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <string_view>

#include "explain/question/question.h"

namespace podium::unit {

// The what-if shop/ask.
inline Result<explain::Question> read(std::string_view spec) {
  const auto text = fmt::format(
      R"({{"metadata": {{"name": "ask", "namespace": "shop", "uid": "u1", "generation": 7}}, "spec": {}}})",
      spec);
  return explain::read_question(explain::scan_report(text).value(), std::chrono::seconds(600));
}

}  // namespace podium::unit
