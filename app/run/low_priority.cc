#include "app/run/low_priority.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>

namespace podium::app::run {
namespace {

void lower_priority() {
  const auto thread = static_cast<id_t>(::gettid());
  errno = 0;
  const int now = ::getpriority(PRIO_PROCESS, thread);
  if (errno == 0) ::setpriority(PRIO_PROCESS, thread, now + kNiceIncrement);
}

}  // namespace

LowPriorityThreads::LowPriorityThreads(std::size_t count)
    : context_(static_cast<int>(count)), work_(context_.get_executor()) {
  try {
    for (std::size_t i = 0; i < count; ++i) {
      threads_.emplace_back([this] {
        lower_priority();
        context_.run();
      });
    }
  } catch (...) {
    stop();
    throw;
  }
}

LowPriorityThreads::~LowPriorityThreads() { stop(); }

void LowPriorityThreads::join() {
  work_.reset();
  for (auto& thread : threads_) thread.join();
  threads_.clear();
}

void LowPriorityThreads::stop() {
  context_.stop();
  join();
}

}  // namespace podium::app::run
