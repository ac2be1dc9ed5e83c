// Cow<T>: a copy-on-write box. Copies share one value; a writer that shares it copies it first.
//
// Threads: copies may be read and destroyed on any thread; each copy has one writer.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace podium {

template <typename T>
class Cow {
 public:
  Cow() : box_(empty()) { box_->copies.fetch_add(1, std::memory_order_relaxed); }
  explicit Cow(T value) : box_(new Box(std::move(value))) {}
  // Without a value: it may be copied, assigned to, asked whether it has one, and destroyed.
  explicit Cow(std::nullptr_t) noexcept : box_(nullptr) {}
  Cow(const Cow& other) noexcept : box_(other.box_) {
    if (box_) box_->copies.fetch_add(1, std::memory_order_relaxed);
  }
  Cow(Cow&& other) noexcept : box_(std::exchange(other.box_, nullptr)) {}  // `other` is then without a value
  Cow& operator=(Cow other) noexcept {
    std::swap(box_, other.box_);
    return *this;
  }
  ~Cow() { drop(box_); }

  bool has_value() const { return box_ != nullptr; }
  const T& operator*() const { return box_->value; }
  const T* operator->() const { return &box_->value; }
  // True if both share one value: while both exist, neither's value changes.
  bool is(const Cow& other) const { return box_ == other.box_; }
  // Acquire pairs with the release in drop(): another thread's reads happen before the write that follows.
  bool shared() const { return box_->copies.load(std::memory_order_acquire) != 1; }
  T& write() {
    if (shared()) drop(std::exchange(box_, new Box(std::as_const(box_->value))));
    return box_->value;
  }

 private:
  // Not shared_ptr: its use_count() has no ordering, and it is twice the size.
  struct Box {
    Box() : value() {}
    explicit Box(const T& v) : value(v) {}
    explicit Box(T&& v) : value(std::move(v)) {}
    std::atomic<std::uint32_t> copies{1};
    T value;
  };
  static void drop(Box* box) {
    if (box && box->copies.fetch_sub(1, std::memory_order_acq_rel) == 1) delete box;
  }
  // One T{}, shared by all boxes that were never written; never freed.
  static Box* empty() {
    static Box* const box = new Box;
    return box;
  }

  Box* box_;
};

}  // namespace podium
