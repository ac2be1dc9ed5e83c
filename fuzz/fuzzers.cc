#include "fuzz/fuzzers.h"

#include <array>

#include "fuzz/driver/driver.h"

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
      {"agent", agent},
  });
  return kAll;
}

}  // namespace podium::fuzz
