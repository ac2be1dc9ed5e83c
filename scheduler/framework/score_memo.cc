#include "scheduler/framework/score_memo.h"

#include <algorithm>
#include <cstring>

namespace podium::framework {
namespace {

using cluster::kChunkWords;

thread_local ScoreMemo* memo_of_thread = nullptr;

constexpr std::uint32_t kAllWords = (std::uint32_t{1} << kChunkWords) - 1;
static_assert(kChunkWords < 32);

std::uint32_t words_that_differ(const ScoreMemo::Amounts::Chunk& a, const ScoreMemo::Amounts::Chunk& b) {
  std::uint32_t words = 0;
  for (std::size_t w = 0; w < kChunkWords; ++w) {
    const bool differ = std::memcmp(&a[w * 64], &b[w * 64], 64 * sizeof(a[0])) != 0;
    words |= std::uint32_t{differ} << w;
  }
  return words;
}

}  // namespace

ScoreMemo::Chunks* ScoreMemo::of_thread(const Key& key) {
  if (!memo_of_thread) return nullptr;
  auto& kept = memo_of_thread->kept_;
  auto known = std::ranges::find(kept, key, &Kept::key);
  if (known == kept.end()) {
    if (kept.size() == kMost) kept.pop_back();
    known = kept.insert(kept.end(), {key, {}});
  }
  std::rotate(kept.begin(), known, known + 1);
  return &kept.front().chunks;
}

ScoreMemo::Use::Use(ScoreMemo& memo) : before_(memo_of_thread) { memo_of_thread = &memo; }
ScoreMemo::Use::~Use() { memo_of_thread = before_; }

std::uint32_t changed_words(ScoreMemo::Chunk& memo, std::span<const ScoreMemo::Amounts::Box* const> inputs) {
  std::uint32_t words = memo.inputs.size() == inputs.size() ? 0 : kAllWords;
  memo.inputs.resize(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (memo.inputs[i].is(*inputs[i])) continue;
    if (words != kAllWords) words |= words_that_differ(*memo.inputs[i], **inputs[i]);
    memo.inputs[i] = *inputs[i];
  }
  return words;
}

}  // namespace podium::framework
