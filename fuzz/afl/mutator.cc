// The mutator of fuzz/driver as AFL++ loads it: AFL_CUSTOM_MUTATOR_LIBRARY.
//
// It changes what a text is made of, which AFL++'s own mutations of bits and bytes do not know. AFL++ draws
// both in turns. $PODIUM_FUZZER names the fuzzer, whose corpus and words the mutator takes parts from; it
// runs in the repository's root.
// Threads: one. Errors: if the corpus cannot be read, afl-fuzz ends with a message.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "fuzz/driver/corpus_mutator.h"

namespace {

struct State {
  podium::fuzz::Mutator mutator;
  std::string text;  // what AFL++ reads until the next call
};

}  // namespace

extern "C" {

void* afl_custom_init(void* /*afl*/, unsigned seed) {
  const char* fuzzer = std::getenv("PODIUM_FUZZER");
  auto mutator = podium::fuzz::mutator_of(fuzzer ? fuzzer : "", seed);
  if (!mutator) {
    std::fprintf(stderr, "podium_fuzz_mutator: %s\n", mutator.error().message.c_str());
    return nullptr;
  }
  return new State{std::move(*mutator), {}};
}

std::size_t afl_custom_fuzz(void* data, unsigned char* buffer, std::size_t size, unsigned char** out,
                            unsigned char* /*other*/, std::size_t /*other_size*/, std::size_t longest) {
  auto& state = *static_cast<State*>(data);
  state.text = state.mutator.change({reinterpret_cast<const char*>(buffer), size});
  if (state.text.size() > longest) state.text.resize(longest);
  if (state.text.empty()) state.text = "\n";  // AFL++ takes 0 for an error
  *out = reinterpret_cast<unsigned char*>(state.text.data());
  return state.text.size();
}

void afl_custom_deinit(void* data) { delete static_cast<State*>(data); }
}
