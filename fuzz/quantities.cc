#include <fmt/format.h>

#include <iostream>
#include <string>

#include "api/values/quantity.h"
#include "fuzz/fuzzers.h"

namespace podium::fuzz {

int print_quantities() {
  for (std::string line; std::getline(std::cin, line);) {
    const auto read = api::Quantity::parse(line);
    if (read)
      fmt::print("{} {} {}\n", read->text(), read->value(), read->milli_value());
    else
      fmt::print("-\n");
  }
  return 0;
}

}  // namespace podium::fuzz
