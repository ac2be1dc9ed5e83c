// BodyBudget: bounds the bytes of all replies that a transport receives at the same time.
//
// Each reply may have a few MiB independent of the others, so that a large one does not delay small ones. The
// bytes beyond that come from the budget, until the reply is destroyed.
// Owner: the transport, shared with its replies. Threads: any. Errors: none; false: the bound is reached.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace podium::client {

class BodyBudget {
 public:
  static constexpr std::size_t kFree = 4u << 20;  // of each reply

  explicit BodyBudget(std::size_t bytes) : left_(bytes) {}

  // The bytes that one reply has taken.
  class Part {
   public:
    explicit Part(std::shared_ptr<BodyBudget> budget = nullptr) : budget_(std::move(budget)) {}
    ~Part() { shrink(); }
    Part(const Part&) = delete;
    // The reply grows to this size. False: there is no room for it.
    bool grow(std::size_t size) {
      if (!budget_ || size <= kFree + taken_) return true;
      const auto more = size - kFree - taken_;
      if (!budget_->take(more)) return false;
      taken_ += more;
      return true;
    }
    void shrink() {
      if (budget_) budget_->left_ += std::exchange(taken_, 0);
    }
    const std::shared_ptr<BodyBudget>& budget() const { return budget_; }

   private:
    const std::shared_ptr<BodyBudget> budget_;
    std::size_t taken_ = 0;
  };

  std::size_t left() const { return left_; }

 private:
  bool take(std::size_t bytes) {
    auto left = left_.load();
    while (left >= bytes) {
      if (left_.compare_exchange_weak(left, left - bytes)) return true;
    }
    return false;
  }

  std::atomic<std::size_t> left_;
};

}  // namespace podium::client
