// The filters whose verdicts the thread's EvaluationMemo keeps.
#include <algorithm>

#include "base/check.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/evaluation_memo.h"
#include "scheduler/framework/filters.h"

namespace podium::framework {
namespace {

// More verdicts than this are computed each time: the memo keeps those that no node has any longer.
constexpr std::size_t kMostVerdicts = 16;

using Kept = EvaluationMemo::Verdicts;

void make_room(Kept& kept, std::size_t chunks) {
  if (kept.chunks.size() > chunks || kept.rejections.verdicts().size() > kMostVerdicts) {
    kept.forget();
  }
  kept.chunks.resize(chunks);
  kept.rejections.grow_to_chunks(chunks);
}

// Takes the verdicts on unchanged chunks over into `nodes`. Returns the other chunks.
std::vector<std::size_t> take_unchanged(Kept& kept, const ColumnView& view, NodeMask& nodes) {
  std::vector<std::size_t> changed;
  for (std::size_t chunk = 0; chunk < kept.chunks.size(); ++chunk) {
    auto& known = kept.chunks[chunk];
    const auto asked = nodes.chunk(chunk);
    if (known.seen != 0 && known.asked == asked && view.changed_words(chunk, known.seen) == 0) {
      nodes.set_chunk(chunk, known.fit);
      continue;
    }
    known.seen = 0;
    known.asked = asked;
    known.left.clear();
    kept.rejections.forget_chunk(chunk);
    changed.push_back(chunk);
  }
  return changed;
}

}  // namespace

std::size_t Filters::run_with_memo(NodeMask& nodes, Rejections& out) const {
  auto* const memo = EvaluationMemo::of_thread();
  if (!memo || only_) return 0;
  Declared declared;
  std::size_t ran = 0;
  for (; ran < filters_.size(); ++ran) {
    const auto& entry = filters_[ran];
    RowInputs inputs;
    if (entry.always || (entry.filter && !entry.filter->declare(inputs))) break;
    declared.add(entry.plugin, inputs);
  }
  if (ran == 0) return 0;
  PODIUM_CHECK(out.verdicts().empty(), out.verdicts().size());
  const auto asked = observer_ ? nodes.count() : 0;
  auto& kept = memo->verdicts(declared);
  const auto now = memo->view().look(declared.columns(), snapshot_.chunks());
  make_room(kept, snapshot_.chunks());
  const auto changed = take_unchanged(kept, memo->view(), nodes);
  NodeMask left(snapshot_.chunks());
  for (const auto chunk : changed) left.set_chunk(chunk, nodes.chunk(chunk));
  for (std::size_t i = 0; i < ran && !changed.empty(); ++i) {
    if (filters_[i].filter) filters_[i].filter->filter(left, kept.rejections);
    for (const auto chunk : changed)
      kept.chunks[chunk].left.push_back(static_cast<std::uint32_t>(cluster::count(left.chunk(chunk))));
  }
  for (const auto chunk : changed) {
    kept.chunks[chunk].fit = left.chunk(chunk);
    kept.chunks[chunk].seen = now;
    nodes.set_chunk(chunk, left.chunk(chunk));
  }
  out = kept.rejections;
  if (observer_) notify_known(kept.chunks, asked, ran);
  return nodes.none() ? filters_.size() : ran;
}

// As if the filters had run one after the other, up to one that leaves no node.
void Filters::notify_known(std::span<const EvaluationMemo::Verdicts::Chunk> chunks, std::size_t nodes,
                           std::size_t filters) const {
  for (std::size_t i = 0; i < filters && nodes > 0; ++i) {
    std::size_t left = 0;
    for (const auto& chunk : chunks) left += chunk.left[i];
    notify_called(filters_[i], nodes, left == 0);
    nodes = left;
  }
}

}  // namespace podium::framework
