#include "scheduler/framework/evaluation_memo.h"

#include <algorithm>

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
  for (const auto& input : inputs.columns) key_.push_back(static_cast<std::int64_t>(input.label));
  columns_.insert(columns_.end(), inputs.columns.begin(), inputs.columns.end());
  ends_.push_back(columns_.size());
}

void Declared::add_undeclared(const void* plugin) {
  key_.insert(key_.end(), {number_of(plugin), -1});
  ends_.push_back(columns_.size());
}

std::span<const RowInput> Declared::columns(std::size_t index) const {
  const auto from = index == 0 ? 0 : ends_[index - 1];
  return columns().subspan(from, ends_[index] - from);
}

void EvaluationMemo::Verdicts::forget() {
  chunks.clear();
  rejections = Rejections(0);
}

void EvaluationMemo::Strategies::forget() {
  if (!groups.empty()) *this = {};
  for (auto& strategy : strategies) {
    for (auto& chunk : strategy.chunks) chunk.seen = 0;
  }
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
