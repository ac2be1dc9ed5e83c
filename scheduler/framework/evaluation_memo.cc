#include "scheduler/framework/evaluation_memo.h"

#include <algorithm>
#include <variant>

#include "scheduler/cluster/snapshot.h"

namespace podium::framework {
namespace {

thread_local EvaluationMemo* memo_of_thread = nullptr;

std::int64_t number_of(const void* plugin) {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(plugin));
}

}  // namespace

void Declared::add(const void* plugin, const RowInputs& inputs) {
  key_.insert(key_.end(), {number_of(plugin), static_cast<std::int64_t>(inputs.asks.size()),
                           static_cast<std::int64_t>(inputs.columns.size())});
  key_.insert(key_.end(), inputs.asks.begin(), inputs.asks.end());
  for (const auto& input : inputs.columns) {
    const auto& column = columns_.emplace_back(with_place(input));
    key_.insert(key_.end(), {static_cast<std::int64_t>(column.label), column.is_member});
  }
}

RowInput Declared::with_place(RowInput input) const {
  const auto address = [](const auto* of) { return reinterpret_cast<std::uintptr_t>(of); };
  const auto place = std::visit(address, input.column) - address(snapshot_);
  if (snapshot_ && place < sizeof(cluster::Snapshot)) {
    input.label = place;
    input.is_member = true;
  }
  return input;
}

void Declared::add_undeclared(const void* plugin) { key_.insert(key_.end(), {number_of(plugin), -1}); }

void EvaluationMemo::Verdicts::forget() {
  seen = 0;
  left.clear();
  rejections = Rejections(0);
}

void EvaluationMemo::Strategies::forget() {
  if (!groups.empty()) *this = {};
  seen = 0;
}

std::int64_t& EvaluationMemo::Strategies::rest(std::size_t chunk, std::size_t strategy) {
  auto& of_chunk = rests[chunk];
  if (of_chunk.empty()) of_chunk.assign(strategies.size(), kUnknownRest);
  return of_chunk[strategy];
}

EvaluationMemo::Strategies* EvaluationMemo::strategies_of(const Totals& totals) {
  return !strategies_.empty() && strategies_.front().total.is(totals) ? &strategies_.front() : nullptr;
}

template <typename T>
T& EvaluationMemo::find(std::vector<T>& kept, const std::vector<std::int64_t>& key, std::size_t most) {
  auto known = std::ranges::find(kept, key, &T::key);
  if (known == kept.end()) {
    if (kept.size() < most) kept.emplace_back();
    known = kept.end() - 1;
    known->forget();
    known->key = key;
  }
  std::rotate(kept.begin(), known, known + 1);
  return kept.front();
}
template EvaluationMemo::Verdicts& EvaluationMemo::find(std::vector<Verdicts>&,
                                                        const std::vector<std::int64_t>&, std::size_t);
template EvaluationMemo::Strategies& EvaluationMemo::find(std::vector<Strategies>&,
                                                          const std::vector<std::int64_t>&, std::size_t);
template KeptCounts& EvaluationMemo::find(std::vector<KeptCounts>&, const std::vector<std::int64_t>&,
                                          std::size_t);

EvaluationMemo* EvaluationMemo::of_thread() { return memo_of_thread; }
EvaluationMemo::Use::Use(EvaluationMemo& memo) : before_(memo_of_thread) { memo_of_thread = &memo; }
EvaluationMemo::Use::~Use() { memo_of_thread = before_; }

}  // namespace podium::framework
