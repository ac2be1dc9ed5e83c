#include "base/clock.h"

#include <time.h>

#include <mutex>
#include <random>

#include "base/random.h"

namespace podium {
namespace {

class SystemClock final : public Clock {
 public:
  Steady now() const override { return std::chrono::steady_clock::now(); }
  Wall wall() const override { return std::chrono::system_clock::now(); }
};

class SystemRandom final : public Random {
 public:
  SystemRandom() : engine_(std::random_device{}()) {}
  std::uint64_t next() override {
    std::lock_guard lock(mutex_);
    return engine_();
  }

 private:
  std::mutex mutex_;
  std::mt19937_64 engine_;
};

}  // namespace

std::chrono::nanoseconds Clock::cpu_time() const {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

Clock& system_clock() {
  static SystemClock clock;
  return clock;
}

Random& system_random() {
  static SystemRandom random;
  return random;
}

}  // namespace podium
