#include "app/run/stop_deadline.h"

#include <pthread.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <future>
#include <system_error>
#include <utility>

#include "log/log.h"

namespace podium::app::run {
namespace {

constexpr std::chrono::seconds kFlush{1};  // the log's pipe may have no reader

}  // namespace

void StopDeadline::wait(std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
                        std::optional<Time> until) {
  if (until)
    changed.wait_until(lock, *until);
  else
    changed.wait(lock);
}

StopDeadline::StopDeadline(std::function<std::string()> waits_for, std::function<int()> exit_code,
                           Wait waiting)
    : waits_for_(std::move(waits_for)),
      exit_code_(std::move(exit_code)),
      wait_(std::move(waiting)),
      thread_([this] { run(); }) {}

StopDeadline::~StopDeadline() {
  end();
  thread_.join();
}

void StopDeadline::begin(std::chrono::milliseconds within) {
  const std::lock_guard lock(mutex_);
  const auto until = std::chrono::steady_clock::now() + within;
  until_ = until_ ? std::min(*until_, until) : until;
  changed_.notify_all();
}

void StopDeadline::end() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

void StopDeadline::run() {
  pthread_setname_np(pthread_self(), "stop-deadline");
  std::unique_lock lock(mutex_);
  while (!ended_) {
    if (until_ && std::chrono::steady_clock::now() >= *until_)
      end_process();
    else
      wait_(changed_, lock, until_);
  }
}

void StopDeadline::end_process() const {
  std::promise<void> flushed;
  try {
    std::thread([this, &flushed] {
      const auto code = exit_code_();
      log::critical("the stop took too long, ending the process waits_for={:?} exit_code={}", waits_for_(),
                    code);
      spdlog::shutdown();
      flushed.set_value();
    }).detach();
    flushed.get_future().wait_for(kFlush);
  } catch (const std::system_error&) {
    ::_exit(exit_code_());  // no thread is left: ends without the line
  }
  ::_exit(exit_code_());
}

}  // namespace podium::app::run
