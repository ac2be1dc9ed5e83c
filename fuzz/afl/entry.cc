// The entry of engines that bring their own main(): AFL++'s driver calls it, libFuzzer does. $PODIUM_FUZZER
// names the fuzzer. $PODIUM_FUZZ_PLANTED plants the fuzzer's bug.
//
// The first call runs the corpus: what a fuzzer makes once, such as its cluster, would count for the input
// that comes first, and AFL++ would take that for an input whose path varies.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "fuzz/driver/driver.h"
#include "fuzz/driver/files.h"
#include "fuzz/driver/require.h"

namespace {

[[noreturn]] void refuse(const char* why) {
  std::fprintf(stderr, "%s\n", why);
  std::abort();
}

const podium::fuzz::Fuzzer& prepare() {
  const auto* name = std::getenv("PODIUM_FUZZER");
  const auto* fuzzer = name ? podium::fuzz::find_fuzzer(name) : nullptr;
  if (!fuzzer) refuse("PODIUM_FUZZER: names no fuzzer; podium_fuzz list");
  const auto corpus = podium::fuzz::read_corpus(std::string("fuzz/corpus/") + name);
  if (!corpus) refuse(corpus.error().message.c_str());
  for (const auto& file : *corpus) fuzzer->run(file.text);
  if (std::getenv("PODIUM_FUZZ_PLANTED")) podium::fuzz::plant_bugs();
  return *fuzzer;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  static const auto& fuzzer = prepare();
  fuzzer.run({reinterpret_cast<const char*>(data), size});
  return 0;
}
