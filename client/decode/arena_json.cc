#include "client/decode/arena_json.h"

#include <algorithm>

#include "api/text/json_memory.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#endif

namespace podium::client {
namespace {

constexpr std::size_t kBlock = 262'144;
// Reused memory looks valid to ASan, so it would miss reads of values from before the reset.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kReuses = false;
#else
constexpr bool kReuses = true;
#endif

}  // namespace

Arena::Arena() {
  free_ = first_.data();
  left_ = first_.size();
  ASAN_POISON_MEMORY_REGION(first_.data(), first_.size());
}

Arena::~Arena() {
  reset();
  ASAN_UNPOISON_MEMORY_REGION(first_.data(), first_.size());
}

void Arena::reset() {
  ASAN_POISON_MEMORY_REGION(first_.data(), first_.size());
  more_.clear();
  free_ = first_.data();
  left_ = kReuses ? first_.size() : 0;
}

void* Arena::do_allocate(std::size_t bytes, std::size_t alignment) {
  // A large table, in a block of its own: api/text/json_memory.h.
  if (bytes >= api::kShiftedJson) {
    const auto shift = api::random_shift();
    more_.push_back(std::make_unique_for_overwrite<std::byte[]>(bytes + shift));
    return more_.back().get() + shift;
  }
  if (!std::align(alignment, bytes, free_, left_)) {
    const auto size = std::max(kBlock, bytes + alignment);
    more_.push_back(std::make_unique_for_overwrite<std::byte[]>(size));
    free_ = more_.back().get();
    left_ = size;
    std::align(alignment, bytes, free_, left_);
  }
  void* const allocated = free_;
  free_ = static_cast<std::byte*>(free_) + bytes;
  left_ -= bytes;
  ASAN_UNPOISON_MEMORY_REGION(allocated, bytes);
  return allocated;
}

}  // namespace podium::client
