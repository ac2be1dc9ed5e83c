#include "base/packed_uid.h"

#include <cstddef>

#include "base/ascii.h"

namespace podium {
namespace {

static_assert(sizeof(PackedUid) == 24);

constexpr std::size_t kLength = 36;

constexpr bool is_dash(std::size_t at) { return at == 8 || at == 13 || at == 18 || at == 23; }

// -1: not a hexadecimal digit in lower case.
constexpr int digit_of(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

PackedUid::PackedUid(std::string_view text) {
  if (text.empty()) return;
  bool is_uuid = text.size() == kLength;
  for (std::size_t i = 0; is_uuid && i < kLength; ++i) {
    if (is_dash(i)) {
      is_uuid = text[i] == '-';
      continue;
    }
    const int digit = digit_of(text[i]);
    is_uuid = digit >= 0;
    high_ = high_ << 4 | low_ >> 60;
    low_ = low_ << 4 | static_cast<std::uint64_t>(digit & 15);
  }
  // Zero is the empty one.
  if (is_uuid && (high_ != 0 || low_ != 0)) return;
  high_ = low_ = 0;
  other_ = std::make_unique<const std::string>(text);
}

std::string PackedUid::text() const {
  if (other_) return *other_;
  if (empty()) return {};
  std::string out(kLength, '-');
  auto high = high_, low = low_;
  for (std::size_t i = kLength; i-- > 0;) {
    if (is_dash(i)) continue;
    out[i] = "0123456789abcdef"[low & 15];
    low = low >> 4 | high << 60;
    high >>= 4;
  }
  return out;
}

bool PackedUid::operator==(const PackedUid& uid) const {
  if (!other_ || !uid.other_) return high_ == uid.high_ && low_ == uid.low_ && other_ == uid.other_;
  return *other_ == *uid.other_;
}

}  // namespace podium
