// The filters whose verdicts the thread's EvaluationMemo keeps.
#include <algorithm>
#include <bit>

#include "base/check.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/evaluation_memo.h"
#include "scheduler/framework/filters.h"

namespace podium::framework {
namespace {

// More verdicts than this are computed each time: the memo keeps those that no node has any longer.
constexpr std::size_t kMostVerdicts = 16;

using Kept = EvaluationMemo::Verdicts;

void make_room(Kept& kept, std::size_t chunks, std::size_t filters) {
  const auto words = chunks * cluster::kChunkWords;
  if (kept.asked.words() != words || kept.rejections.verdicts().size() > kMostVerdicts) kept.forget();
  kept.rejections.grow_to_chunks(chunks);
  if (kept.seen != 0) return;
  kept.asked = kept.fit = NodeMask(chunks);
  kept.left.assign(filters, {std::vector<std::uint8_t>(words), 0});
}

// The words of `nodes` in which verdicts are to be given again.
std::vector<std::size_t> changed_words(const Kept& kept, const ColumnView& view, const NodeMask& nodes) {
  std::vector<std::size_t> changed;
  const bool asks_others = kept.asked != nodes;
  for (std::size_t chunk = 0; chunk * cluster::kChunkWords < nodes.words(); ++chunk) {
    const auto of_columns = kept.seen == 0 ? ColumnView::kAllWords : view.changed_words(chunk, kept.seen);
    if (of_columns == 0 && !asks_others) continue;
    for (std::size_t w = 0; w < cluster::kChunkWords; ++w) {
      const auto word = chunk * cluster::kChunkWords + w;
      if (of_columns >> w & 1 || kept.asked.word(word) != nodes.word(word)) changed.push_back(word);
    }
  }
  return changed;
}

}  // namespace

std::size_t Filters::run_with_memo(NodeMask& nodes, Rejections& out) const {
  auto* const memo = EvaluationMemo::of_thread();
  if (!memo) return 0;
  memo->set_nodes_of(0);
  if (only_) return 0;
  Declared declared(&snapshot_);
  std::size_t ran = 0;
  RowInputs inputs;
  for (; ran < filters_.size(); ++ran) {
    const auto& entry = filters_[ran];
    inputs.asks.clear();  // keeps the memory
    inputs.columns.clear();
    if (entry.always || (entry.filter && !entry.filter->declare(inputs))) break;
    declared.add(entry.plugin, inputs);
  }
  if (ran == 0) return 0;
  PODIUM_CHECK(out.verdicts().empty(), out.verdicts().size());
  const auto asked = observer_ ? nodes.count() : 0;
  auto& kept = memo->verdicts(declared);
  const auto now = memo->view().look(declared.columns(), snapshot_.chunks(), snapshot_.row_changes());
  make_room(kept, snapshot_.chunks(), ran);
  const auto changed = changed_words(kept, memo->view(), nodes);
  if (!changed.empty()) {
    NodeMask left(snapshot_.chunks());
    for (const auto word : changed) {
      kept.rejections.forget_word(word);
      left.word(word) = nodes.word(word);
    }
    for (std::size_t i = 0; i < ran; ++i) {
      if (filters_[i].filter) filters_[i].filter->filter(left, kept.rejections);
      auto& [of_word, sum] = kept.left[i];
      for (const auto word : changed) {
        const auto count = static_cast<std::uint8_t>(std::popcount(left.word(word)));
        sum += std::size_t{count} - of_word[word];
        of_word[word] = count;
      }
    }
    for (const auto word : changed) {
      kept.asked.word(word) = nodes.word(word);
      kept.fit.word(word) = left.word(word);
    }
  }
  kept.seen = now;
  memo->set_nodes_of(kept.number);
  nodes = kept.fit;
  out = kept.rejections;
  if (observer_) notify_known(kept.left, asked, ran);
  return nodes.none() ? filters_.size() : ran;
}

// As if the filters had run one after the other, up to one that leaves no node.
void Filters::notify_known(std::span<const EvaluationMemo::Verdicts::Left> left, std::size_t nodes,
                           std::size_t filters) const {
  for (std::size_t i = 0; i < filters && nodes > 0; ++i) {
    notify_called(filters_[i], nodes, left[i].nodes == 0);
    nodes = left[i].nodes;
  }
}

}  // namespace podium::framework
