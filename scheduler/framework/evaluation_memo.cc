#include "scheduler/framework/evaluation_memo.h"

#include <algorithm>
#include <iterator>
#include <variant>

#include "scheduler/cluster/snapshot.h"

namespace podium::framework {
namespace {

constexpr std::size_t kUsualKey = 64, kUsualColumns = 16;
thread_local EvaluationMemo* memo_of_thread = nullptr;

std::int64_t number_of(const void* plugin) {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(plugin));
}

}  // namespace

void Declared::add(const void* plugin, const RowInputs& inputs) {
  if (key_.empty()) {
    key_.reserve(kUsualKey);
    columns_.reserve(kUsualColumns);
  }
  key_.push_back(number_of(plugin));
  key_.push_back(static_cast<std::int64_t>(inputs.asks.size()));
  key_.push_back(static_cast<std::int64_t>(inputs.columns.size()));
  for (const auto asked : inputs.asks) key_.push_back(asked);
  for (const auto& input : inputs.columns) {
    const auto& column = columns_.emplace_back(with_place(input));
    key_.push_back(static_cast<std::int64_t>(column.label));
    key_.push_back(column.is_member);
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

void Declared::add_undeclared(const void* plugin) {
  key_.push_back(number_of(plugin));
  key_.push_back(-1);
}

void EvaluationMemo::Verdicts::forget() {
  number = 0;
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
T& EvaluationMemo::find(Recent<T>& kept, const std::vector<std::int64_t>& key, std::size_t most) {
  auto known = std::ranges::find(kept, key, &T::key);
  if (known == kept.end()) {
    if (kept.size() < most) kept.emplace_back();
    known = std::prev(kept.end());
    known->forget();
    known->key = key;
  }
  kept.splice(kept.begin(), kept, known);
  return kept.front();
}

EvaluationMemo::Verdicts& EvaluationMemo::verdicts(const Declared& declared) {
  auto& found = find(verdicts_, declared.key(), kMost);
  if (found.number == 0) found.number = ++numbers_;
  return found;
}

EvaluationMemo::Strategies& EvaluationMemo::strategies(const Declared& declared, std::uint64_t nodes_of) {
  const auto has_key = [&](const Strategies& each) { return each.key == declared.key(); };
  auto known = std::ranges::find_if(
      strategies_, [&](const Strategies& each) { return each.nodes_of == nodes_of && has_key(each); });
  if (known == strategies_.end()) {
    const bool is_full = strategies_.size() == kMost;
    if (!is_full) strategies_.emplace_back();
    // The scores of all nodes are known under this key: only the nodes that they are for change.
    const auto alike =
        is_full ? std::find_if(strategies_.rbegin(), strategies_.rend(), has_key) : strategies_.rend();
    known = std::prev(strategies_.end());
    if (alike == strategies_.rend())
      known->forget();
    else
      known = std::prev(alike.base());
    known->key = declared.key();
    known->nodes_of = nodes_of;
  }
  strategies_.splice(strategies_.begin(), strategies_, known);
  return strategies_.front();
}

template KeptCounts& EvaluationMemo::find(Recent<KeptCounts>&, const std::vector<std::int64_t>&, std::size_t);

EvaluationMemo* EvaluationMemo::of_thread() { return memo_of_thread; }
EvaluationMemo::Use::Use(EvaluationMemo& memo) : before_(memo_of_thread) { memo_of_thread = &memo; }
EvaluationMemo::Use::~Use() { memo_of_thread = before_; }

}  // namespace podium::framework
