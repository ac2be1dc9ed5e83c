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

Tick ColumnView::look(std::span<const RowInput> inputs, std::size_t chunks,
                      const Cow<cluster::RowChanges>& rows) {
  ++now_;
  looked_at_.clear();
  looked_at_members_ = std::ranges::any_of(inputs, &RowInput::is_member);
  if (looked_at_members_) take_members(chunks, rows);
  if (seen_.size() + inputs.size() > kMost) seen_.clear();
  for (const auto& input : inputs) {
    if (input.is_member) continue;
    const auto i = seen_of(input);
    looked_at_.push_back(i);
    take(seen_[i], input, chunks);
  }
  return now_;
}

void ColumnView::take_members(std::size_t chunks, const Cow<cluster::RowChanges>& rows) {
  if (rows_ && rows_->is(rows) && of_members_.latest.size() == chunks) return;
  const auto changed = rows_ ? cluster::RowChanges::between(**rows_, *rows) : std::nullopt;
  if (!changed || of_members_.latest.size() != chunks) {
    of_members_ = {};
    of_members_.resize(chunks, now_);
  } else {
    for (const auto row : *changed)
      of_members_.note(row / cluster::kChunkRows, row % cluster::kChunkRows / 64, now_);
  }
  rows_ = rows;
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
        seen.changes.resize(chunks, now_);
        for (auto chunk = boxes.size(); chunk < chunks; ++chunk) boxes.push_back(column->box(chunk));
        for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
          const auto& box = column->box(chunk);
          if (boxes[chunk].is(box)) continue;
          for (std::size_t w = 0; w < kChunkWords; ++w) {
            if (word_differs(*boxes[chunk], *box, w)) seen.changes.note(chunk, w, now_);
          }
          boxes[chunk] = box;
        }
      },
      input.column);
}

// New chunks have changed. Never shrinks.
void ColumnView::Changes::resize(std::size_t chunks, Tick now) {
  while (latest.size() < chunks) {
    latest.push_back(now);
    of_word.emplace_back().fill(now);
  }
}

std::uint32_t ColumnView::Changes::words_after(std::size_t chunk, Tick since) const {
  std::uint32_t words = 0;
  if (latest[chunk] <= since) return words;
  for (std::size_t w = 0; w < kChunkWords; ++w) words |= std::uint32_t{of_word[chunk][w] > since} << w;
  return words;
}

std::uint32_t ColumnView::changed_words(std::size_t chunk, Tick since) const {
  auto words = looked_at_members_ ? of_members_.words_after(chunk, since) : 0;
  for (const auto i : looked_at_) words |= seen_[i].changes.words_after(chunk, since);
  return words;
}

}  // namespace podium::framework
