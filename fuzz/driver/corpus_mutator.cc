#include "fuzz/driver/corpus_mutator.h"

#include <fmt/format.h>

#include <utility>

#include "fuzz/driver/files.h"

namespace podium::fuzz {

Result<Mutator> mutator_of(std::string_view fuzzer, std::uint64_t seed) {
  const auto corpus = read_corpus(fmt::format("fuzz/corpus/{}", fuzzer));
  if (!corpus) return std::unexpected(corpus.error());
  const auto words = read_words(fmt::format("fuzz/words/{}.dict", fuzzer));
  if (!words) return std::unexpected(words.error());
  std::vector<std::string> texts;
  for (const auto& file : *corpus) texts.push_back(file.text);
  return Mutator(seed, std::move(texts), *words);
}

}  // namespace podium::fuzz
