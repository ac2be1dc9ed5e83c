// Row: what users can write in numbers, as templates of documents (scene.h).
//
// Threads: a value. Errors: none.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace podium::test::cost {

struct Doc {
  std::string text;
  bool each = false;  // n documents instead of one
};

struct Row {
  std::string name;  // the paths of the fields that have n entries
  std::size_t n;     // measured at n and at 2n; up to 128, 2n is what the API server allows
  std::vector<Doc> docs;
};

}  // namespace podium::test::cost
