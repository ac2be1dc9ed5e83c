#include "unit/support/cost.h"

#include <algorithm>
#include <ostream>
#include <string_view>
#include <utility>

#include "base/steps.h"

#ifdef __SANITIZE_ADDRESS__
// Declared in ASan's <sanitizer/allocator_interface.h>, which GCC does not install.
extern "C" {
int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void*, std::size_t),
                                              void (*on_free)(const volatile void*));
std::size_t __sanitizer_get_allocated_size(const volatile void*);
}
#endif

namespace podium::test {
namespace {

thread_local Cost* counted = nullptr;  // null: this thread counts nothing

// Counts into `cost` until it is destroyed, also by work that throws.
class Counting {
 public:
  explicit Counting(Cost& cost) : outer_(std::exchange(counted, &cost)) {}
  ~Counting() { counted = outer_; }
  Counting(const Counting&) = delete;

 private:
  Cost* const outer_;
};

#ifdef __SANITIZE_ADDRESS__
void on_malloc(const volatile void*, std::size_t size) {
  if (!counted) return;
  counted->allocated += static_cast<std::int64_t>(size);
  counted->kept += static_cast<std::int64_t>(size);
  counted->peak = std::max(counted->peak, counted->kept);
}

void on_free(const volatile void* memory) {
  if (counted && memory) counted->kept -= static_cast<std::int64_t>(__sanitizer_get_allocated_size(memory));
}

const int installed = __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
#endif

bool exceeds(std::int64_t once, std::int64_t twice, double factor) {
  return static_cast<double>(twice) > factor * static_cast<double>(once);
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Cost& cost) {
  return out << cost.steps << " steps, " << cost.allocated << " bytes allocated, " << cost.peak
             << " at most at a time, " << cost.kept << " kept";
}

Cost cost_of(const Work& work) {
#ifdef __SANITIZE_ADDRESS__
  EXPECT_NE(installed, 0) << "ASan has no room for the hooks";
#endif
  Cost cost;
  const auto before = steps_of_thread();
  {
    const Counting counting(cost);
    work();
    cost.steps = static_cast<std::int64_t>(steps_of_thread() - before);
  }
  if (auto* const outer = counted) {
    outer->allocated += cost.allocated;
    outer->peak = std::max(outer->peak, outer->kept + cost.peak);
    outer->kept += cost.kept;
  }
  return cost;
}

testing::AssertionResult is_linear(std::size_t n, const Cost& once, const Cost& twice, double factor) {
  std::string_view what;
  if (exceeds(once.steps, twice.steps, factor)) what = "steps";
  if (exceeds(once.allocated, twice.allocated, factor)) what = "bytes allocated";
  if (exceeds(once.peak, twice.peak, factor)) what = "bytes at a time";
  auto result = what.empty() ? testing::AssertionSuccess() : testing::AssertionFailure();
  if (!what.empty()) result << what << " grow by more than " << factor << " times:";
  return result << "\n  at " << n << ": " << once << "\n  at " << 2 * n << ": " << twice;
}

testing::AssertionResult is_linear(std::size_t n, const std::function<Work(std::size_t)>& prepare,
                                   double factor) {
  const auto once = cost_of(prepare(n));
  return is_linear(n, once, cost_of(prepare(2 * n)), factor);
}

}  // namespace podium::test
