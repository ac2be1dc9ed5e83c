#include "simulate/main/workers.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <type_traits>
#include <vector>

#include "simulate/base/dice.h"

namespace podium::simulate {
namespace {

using std::chrono::steady_clock;

static_assert(std::is_trivially_copyable_v<Sum>);  // it is sent through a pipe

struct Worker {
  pid_t id = 0;
  int reads = -1;
};

Sum timed(const std::function<Sum(unsigned, unsigned)>& work, unsigned worker, unsigned workers) {
  const auto began = steady_clock::now();
  auto sum = work(worker, workers);
  sum.seconds = std::chrono::duration<double>(steady_clock::now() - began).count();
  return sum;
}

}  // namespace

void Sum::add(std::uint64_t seed, const LifeOutcome& outcome) {
  bound += outcome.bound;
  allocated += outcome.allocated;
  hash += Dice(seed ^ outcome.hash).next();
  excused.add(outcome.excused);
}

Sum& Sum::operator+=(const Sum& other) {
  failed += other.failed;
  bound += other.bound;
  allocated += other.allocated;
  hash += other.hash;
  seconds += other.seconds;
  excused += other.excused;
  return *this;
}

std::string Sum::text() const {
  return fmt::format(
      "{} lives, {} failed; {} pods bound, {} claims allocated; excused: {}; traces {:016x}; {:.1f} ms a "
      "life",
      excused.lives, failed, bound, allocated, excused.text(), hash,
      1000 * seconds / static_cast<double>(std::max<std::uint64_t>(excused.lives, 1)));
}

std::optional<Sum> share(unsigned workers, const std::function<Sum(unsigned, unsigned)>& work) {
  if (workers <= 1) return timed(work, 0, 1);
  std::vector<Worker> running;
  for (unsigned i = 0; i < workers; ++i) {
    int ends[2];
    if (::pipe(ends) != 0) return std::nullopt;
    const auto id = ::fork();
    if (id == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGTERM);
      const auto sum = timed(work, i, workers);
      std::fflush(stdout);
      const bool reported = ::write(ends[1], &sum, sizeof(sum)) == sizeof(sum);
      ::_exit(reported ? 0 : 1);
    }
    ::close(ends[1]);
    running.push_back({id, ends[0]});
  }
  Sum all;
  bool alive = true;
  for (const auto& worker : running) {
    Sum one;
    alive = alive && worker.id > 0 && ::read(worker.reads, &one, sizeof(one)) == sizeof(one);
    if (alive) all += one;
    ::close(worker.reads);
    if (worker.id > 0) ::waitpid(worker.id, nullptr, 0);
  }
  return alive ? std::optional(all) : std::nullopt;
}

}  // namespace podium::simulate
