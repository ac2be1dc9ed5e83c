// The entry of engines that bring their own main(): AFL++'s driver calls it, libFuzzer does. $PODIUM_FUZZER
// names the fuzzer. $PODIUM_FUZZ_PLANTED plants the fuzzer's bug.
#include <cstdio>
#include <cstdlib>

#include "fuzz/driver/driver.h"
#include "fuzz/driver/require.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  static const auto* const fuzzer = [] {
    const auto* name = std::getenv("PODIUM_FUZZER");
    const auto* found = name ? podium::fuzz::find_fuzzer(name) : nullptr;
    if (!found) {
      std::fputs("PODIUM_FUZZER: names no fuzzer; podium_fuzz list\n", stderr);
      std::abort();
    }
    if (std::getenv("PODIUM_FUZZ_PLANTED")) podium::fuzz::plant_bugs();
    return found;
  }();
  fuzzer->run({reinterpret_cast<const char*>(data), size});
  return 0;
}
