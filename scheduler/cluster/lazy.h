// Lazy<T>: a value that follows from its owner's other members. A reader computes it once; it is dropped when
// the owner changes.
//
// A copy of the owner starts without the value, since a copy is made for a change.
// Threads: get() may be called concurrently on one object; drop() needs the only access, as any write.
#pragma once

#include <atomic>
#include <memory>

namespace podium::cluster {

template <typename T>
class Lazy {
 public:
  Lazy() = default;
  Lazy(const Lazy&) {}
  Lazy& operator=(const Lazy& other) {
    if (this != &other) drop();
    return *this;
  }
  ~Lazy() { drop(); }

  // `make` returns a unique_ptr; all callers must pass an equivalent one. Two threads may both call it; one
  // of the results is kept. The reference stays valid until drop().
  template <typename Make>
  const T& get(Make&& make) const {
    if (const auto* known = value_.load(std::memory_order_acquire)) return *known;
    std::unique_ptr<const T> made = make();
    const T* known = nullptr;
    return value_.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel) ? *made.release()
                                                                                        : *known;
  }
  void drop() { delete value_.exchange(nullptr, std::memory_order_acq_rel); }

 private:
  mutable std::atomic<const T*> value_{nullptr};
};

}  // namespace podium::cluster
