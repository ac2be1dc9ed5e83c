#include "scheduler/framework/rejections.h"

#include <algorithm>
#include <bit>

namespace podium::framework {

namespace {

constexpr std::size_t kLinearSearchLimit = 16;  // verdicts for which a linear search beats hashing

std::uint64_t hash_of(const Verdict& verdict) {
  auto hash = hash_mix(hash_text(verdict.plugin), static_cast<std::uint64_t>(verdict.code));
  for (const auto& reason : verdict.reasons) hash = hash_mix(hash, hash_text(reason.text));
  return hash;
}

}  // namespace

VerdictId Rejections::search(const Verdict& verdict) const {
  const auto it = std::ranges::find(*verdicts_, verdict);
  return it == verdicts_->end() ? kFits : static_cast<VerdictId>(it - verdicts_->begin() + 1);
}

VerdictId Rejections::add(Verdict verdict) {
  const auto next = static_cast<VerdictId>(verdicts_->size() + 1);
  if (ids_.empty()) {
    if (const auto id = search(verdict); id != kFits) return id;
  } else if (const auto [it, fresh] = ids_.try_emplace(hash_of(verdict), next); !fresh) {
    if (this->verdict(it->second) == verdict) return it->second;
    if (const auto id = search(verdict); id != kFits) return id;
  }
  verdicts_.write().push_back(std::move(verdict));
  counts_.push_back(0);
  if (ids_.empty() && verdicts_->size() > kLinearSearchLimit) {
    for (VerdictId id = 1; id <= next; ++id) ids_.emplace(hash_of(this->verdict(id)), id);
  }
  return next;
}

void Rejections::reject_word(cluster::NodeMask& nodes, std::size_t word, std::uint64_t bits, VerdictId id) {
  if (!bits) return;
  nodes.word(word) &= ~bits;
  auto& chunk = of_row_.write_chunk(word / cluster::kChunkWords);
  VerdictId* const rows = &chunk[word % cluster::kChunkWords * 64];
  if (bits == ~std::uint64_t{0} && std::all_of(rows, rows + 64, [](VerdictId of) { return of == kFits; })) {
    std::fill_n(rows, 64, id);
    counts_[id - 1] += 64;
    return;
  }
  for (; bits; bits &= bits - 1) change(rows[std::countr_zero(bits)], id);
}

void Rejections::forget_word(std::size_t word) {
  const auto of_word =
      of_row_.chunk(word / cluster::kChunkWords).subspan(word % cluster::kChunkWords * 64, 64);
  VerdictId any = kFits;
  for (const auto id : of_word) any |= id;
  if (any == kFits) return;
  for (auto row = static_cast<cluster::Row>(word * 64); row < (word + 1) * 64; ++row) forget(row);
}

}  // namespace podium::framework
