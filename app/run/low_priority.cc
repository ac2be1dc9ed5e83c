#include "app/run/low_priority.h"

#include <sys/resource.h>
#include <unistd.h>

#include <boost/asio/post.hpp>
#include <cerrno>
#include <latch>
#include <memory>

namespace podium::app::run {
namespace {

void lower_priority() {
  const auto thread = static_cast<id_t>(::gettid());
  errno = 0;
  const int now = ::getpriority(PRIO_PROCESS, thread);
  if (errno == 0) ::setpriority(PRIO_PROCESS, thread, now + kNiceIncrement);
}

}  // namespace

void lower_priority(boost::asio::thread_pool& pool, std::size_t threads) {
  // Each thread waits for the others, so each takes one task.
  const auto all = std::make_shared<std::latch>(static_cast<std::ptrdiff_t>(threads) + 1);
  for (std::size_t i = 0; i < threads; ++i) {
    boost::asio::post(pool, [all] {
      lower_priority();
      all->arrive_and_wait();
    });
  }
  all->arrive_and_wait();
}

}  // namespace podium::app::run
