// Options: how to render an answer for people. Threads: a value.
#pragma once

#include <cstddef>
#include <string>

#include "app/render/text.h"
#include "base/instant.h"

namespace podium::render {

struct Options {
  Style style;
  bool wide = false;
  Wall now{};
  // The program's name for hints: "kubectl podium". Empty: no hints.
  std::string program;
  std::string flags = {};   // flags that a hint repeats, with a leading space: " --cluster dump.yaml"
  std::size_t columns = 0;  // width of the terminal, for tables; 0: no limit
  std::string where = {};   // what was looked at, with a leading space: " in namespace shop"
};

}  // namespace podium::render
