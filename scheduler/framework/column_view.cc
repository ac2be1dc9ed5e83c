#include "scheduler/framework/column_view.h"

#include <algorithm>
#include <cstring>

namespace podium::framework {
namespace {

using cluster::kChunkWords;
static_assert(kChunkWords < 32);

template <typename T>
bool word_differs(const std::array<T, cluster::kChunkRows>& a, const std::array<T, cluster::kChunkRows>& b,
                  std::size_t word) {
  return std::memcmp(&a[word * 64], &b[word * 64], 64 * sizeof(T)) != 0;
}

}  // namespace

Tick ColumnView::look(std::span<const RowInput> inputs, std::size_t chunks) {
  ++now_;
  looked_at_.clear();
  if (seen_.size() + inputs.size() > kMost) seen_.clear();
  for (const auto& input : inputs) {
    const auto i = seen_of(input);
    looked_at_.push_back(i);
    take(seen_[i], input, chunks);
  }
  return now_;
}

std::size_t ColumnView::seen_of(const RowInput& input) {
  const auto known = std::ranges::find_if(seen_, [&](const Seen& seen) {
    return seen.label == input.label && seen.boxes.index() == input.column.index();
  });
  if (known != seen_.end()) return static_cast<std::size_t>(known - seen_.begin());
  auto& seen = seen_.emplace_back();
  seen.label = input.label;
  std::visit([&]<typename T>(const cluster::Column<T>*) { seen.boxes = Boxes<T>(); }, input.column);
  return seen_.size() - 1;
}

void ColumnView::take(Seen& seen, const RowInput& input, std::size_t chunks) {
  std::visit(
      [&]<typename T>(const cluster::Column<T>* column) {
        auto& boxes = std::get<Boxes<T>>(seen.boxes);
        for (auto chunk = boxes.size(); chunk < chunks; ++chunk) {
          boxes.push_back(column->box(chunk));
          auto& changes = seen.changes.emplace_back();
          changes.latest = now_;
          changes.of_word.fill(now_);
        }
        for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
          const auto& box = column->box(chunk);
          if (boxes[chunk].is(box)) continue;
          auto& changes = seen.changes[chunk];
          for (std::size_t w = 0; w < kChunkWords; ++w) {
            if (word_differs(*boxes[chunk], *box, w)) changes.latest = changes.of_word[w] = now_;
          }
          boxes[chunk] = box;
        }
      },
      input.column);
}

std::uint32_t ColumnView::changed_words(std::size_t chunk, Tick since) const {
  std::uint32_t words = 0;
  for (const auto i : looked_at_) {
    const auto& changes = seen_[i].changes[chunk];
    if (changes.latest <= since) continue;
    for (std::size_t w = 0; w < kChunkWords; ++w) words |= std::uint32_t{changes.of_word[w] > since} << w;
  }
  return words;
}

}  // namespace podium::framework
