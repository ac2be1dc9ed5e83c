// Mutator: makes inputs of a corpus and a list of words, from a seed.
//
// It changes what a text is made of: words, numbers, lines and what stands between brackets, besides bits and
// bytes. It knows nothing of coverage. The same seed, corpus and words give the same inputs.
// Threads: one. Errors: none.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace podium::fuzz {

inline constexpr std::size_t kLongestInput = 96 * 1024;  // bytes

class Mutator {
 public:
  Mutator(std::uint64_t seed, std::vector<std::string> corpus, std::vector<std::string> words);
  std::string next();                    // an entry of the corpus, changed
  std::string change(std::string text);  // this text, changed

 private:
  struct Span {
    std::size_t begin = 0, length = 0;
  };
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }
  const std::string& entry() { return corpus_[below(corpus_.size())]; }
  Span some_span(std::string_view text, std::size_t longest);
  Span some_word(std::string_view text);
  Span some_group(std::string_view text);  // from a bracket to the one that closes it
  Span some_line(std::string_view text);
  std::string_view other_word();
  void mutate(std::string& text);
  void change_bytes(std::string& text);
  void change_words(std::string& text);
  void change_groups(std::string& text);
  void splice(std::string& text);

  std::mt19937_64 random_;
  std::vector<std::string> corpus_, words_;
};

}  // namespace podium::fuzz
