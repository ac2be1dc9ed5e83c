#include "scheduler/framework/rejections.h"

#include <algorithm>
#include <bit>

namespace podium::framework {

VerdictId Rejections::add(Verdict verdict) {
  const auto known = std::find(verdicts_.begin(), verdicts_.end(), verdict);
  if (known != verdicts_.end()) return static_cast<VerdictId>(known - verdicts_.begin() + 1);
  verdicts_.push_back(std::move(verdict));
  return static_cast<VerdictId>(verdicts_.size());
}

void Rejections::reject_word(cluster::NodeMask& nodes, std::size_t word, std::uint64_t bits, VerdictId id) {
  nodes.word(word) &= ~bits;
  VerdictId* rows = of_row_.data() + word * 64;
  if (bits == ~std::uint64_t{0}) {
    std::fill_n(rows, 64, id);
    return;
  }
  for (; bits; bits &= bits - 1) rows[std::countr_zero(bits)] = id;
}

}  // namespace podium::framework
