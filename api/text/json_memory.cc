#include "api/text/json_memory.h"

#include <cstring>
#include <new>
#include <random>

namespace podium::api {
namespace {

constexpr std::size_t kUnit = 16;  // the alignment of any table

// A shifted block has its shift right before the part that is used.
class ShiftedMemory final : public boost::json::memory_resource {
  void* do_allocate(std::size_t bytes, std::size_t) override {
    if (bytes < kShiftedJson) return ::operator new(bytes);
    const auto shift = random_shift();
    auto* used = static_cast<std::byte*>(::operator new(bytes + shift)) + shift;
    std::memcpy(used - sizeof shift, &shift, sizeof shift);
    return used;
  }
  void do_deallocate(void* used, std::size_t bytes, std::size_t) override {
    std::size_t shift = 0;
    if (bytes >= kShiftedJson)
      std::memcpy(&shift, static_cast<std::byte*>(used) - sizeof shift, sizeof shift);
    ::operator delete(static_cast<std::byte*>(used) - shift);
  }
  bool do_is_equal(const boost::json::memory_resource& other) const noexcept override {
    return this == &other;
  }
};

}  // namespace

boost::json::storage_ptr json_memory() {
  // Never destroyed: values of static duration may be in it.
  static auto* const memory = new ShiftedMemory;
  return boost::json::storage_ptr(memory);
}

std::size_t random_shift() {
  thread_local std::minstd_rand numbers(std::random_device{}());
  return kUnit * std::uniform_int_distribution<std::size_t>(1, kMostJsonShift / kUnit)(numbers);
}

}  // namespace podium::api
