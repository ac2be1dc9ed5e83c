// Arena: memory for the JSON of one batch, freed as a whole. ArenaJson: a value in an Arena.
//
// A copy of a boost::json::value uses the memory of its source, so a copy of a value in an Arena dangles
// after reset(). ArenaJson is therefore not copyable; clone() makes an independent copy.
//
// Owner: the parsing code owns the Arena and resets it when none of its values is in use. Sanitizer builds
// report reads after reset(). Threads: not thread-safe.
#pragma once

#include <array>
#include <boost/json/memory_resource.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace podium::client {

class Arena final : public boost::json::memory_resource {
 public:
  Arena();
  ~Arena() override;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  void reset();  // invalidates all values; keeps the first block

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void*, std::size_t, std::size_t) override {}
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  std::vector<std::unique_ptr<std::byte[]>> more_;  // blocks after the first
  void* free_;                                      // of the block in use
  std::size_t left_;
  alignas(std::max_align_t) std::array<std::byte, 65'536> first_;
};

class ArenaJson {
 public:
  ArenaJson(boost::json::value value) : value_(std::move(value)) {}  // NOLINT: a value becomes one by moving
  ArenaJson(ArenaJson&&) noexcept = default;
  ArenaJson& operator=(ArenaJson&&) = delete;
  ArenaJson(const ArenaJson&) = delete;
  ArenaJson& operator=(const ArenaJson&) = delete;

  const boost::json::value& view() const& { return value_; }  // valid until the Arena is reset; so is a copy
  boost::json::value clone() const {                          // independent of the Arena
    return boost::json::value(value_, boost::json::storage_ptr());
  }

 private:
  boost::json::value value_;
};

}  // namespace podium::client

// Values in an Arena are not destroyed one by one, which would recurse.
template <>
struct boost::json::is_deallocate_trivial<podium::client::Arena> {
  static constexpr bool value = true;
};
