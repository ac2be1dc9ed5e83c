#include <array>

#include "fuzz/driver/driver.h"
#include "fuzz/fuzzers.h"

namespace podium::fuzz {

std::span<const Fuzzer> fuzzers() {
  static constexpr auto kAll = std::to_array<Fuzzer>({
      {"what_if", what_if},
      {"http_reply", http_reply},
      {"watch", watch},
      {"scalars", scalars},
      {"yaml", yaml},
      {"configuration", configuration},
      {"render", render_text},
      {"request", request},
      {"extender", extender_replies},
      {"kubeconfig", kubeconfig},
      {"selectors", selectors},
  });
  return kAll;
}

}  // namespace podium::fuzz

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments == std::vector<std::string>{"quantities"}) return podium::fuzz::print_quantities();
  return podium::fuzz::drive(arguments);
}
