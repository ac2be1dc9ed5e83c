#include "fuzz/driver/driver.h"
#include "fuzz/fuzzers.h"

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments == std::vector<std::string>{"quantities"}) return podium::fuzz::print_quantities();
  return podium::fuzz::drive(arguments);
}
