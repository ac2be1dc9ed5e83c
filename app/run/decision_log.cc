#include "app/run/decision_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <utility>

#include "app/report_api/replies.h"
#include "base/check.h"
#include "explain/report/node_names.h"
#include "log/log.h"

namespace podium::app::run {
namespace {

constexpr int kPoll = 100;           // milliseconds
constexpr std::size_t kPipe = 4096;  // bytes that a pipe takes without blocking once it takes any

// Fails for a pipe that has no reader.
int open_file(const std::string& path) {
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_CLOEXEC, 0640);
}

std::size_t size_of(int file) {
  struct stat found{};
  return ::fstat(file, &found) == 0 && found.st_size > 0 ? static_cast<std::size_t>(found.st_size) : 0;
}

}  // namespace

Result<std::unique_ptr<DecisionLog>> DecisionLog::open(Options options) {
  const int file = options.path == "-" ? STDOUT_FILENO : open_file(options.path);
  if (file < 0) return invalid(fmt::format("--decision-log: {}: {}", options.path, std::strerror(errno)));
  return std::unique_ptr<DecisionLog>(new DecisionLog(std::move(options), file));
}

DecisionLog::DecisionLog(Options options, int file)
    : options_(std::move(options)), file_(file), bytes_(options_.path == "-" ? 0 : size_of(file)) {
  thread_ = std::thread([this] {
    pthread_setname_np(pthread_self(), "decision log");
    write_all();
  });
}

DecisionLog::~DecisionLog() {
  {
    const std::lock_guard lock(mutex_);
    last_ = std::chrono::steady_clock::now() + kLast;
  }
  added_.notify_one();
  thread_.join();
  if (file_ != STDOUT_FILENO && file_ >= 0) ::close(file_);
}

void DecisionLog::ended(bool was_written) const {
  if (ended_) ended_(was_written);
}

void DecisionLog::on_end(std::function<void(bool)> ended) {
  const std::lock_guard lock(mutex_);
  PODIUM_CHECK(!has_added_, options_.path);
  ended_ = std::move(ended);
}

void DecisionLog::add(controller::RememberedDecision decision) {
  bool has_room = false;
  {
    const std::lock_guard lock(mutex_);
    has_added_ = true;
    has_room = queue_.size() < kQueued;
    if (has_room) queue_.push_back(std::move(decision));
  }
  if (has_room)
    added_.notify_one();
  else
    ended(false);
}

void DecisionLog::write_all() {
  for (;;) {
    std::optional<controller::RememberedDecision> next;
    {
      std::unique_lock lock(mutex_);
      added_.wait(lock, [this] { return !queue_.empty() || last_; });
      if (queue_.empty()) return;
      next = std::move(queue_.front());
      queue_.pop_front();
    }
    if (options_.withholds_node_names) explain::withhold_node_names(next->status);
    ended(write(boost::json::serialize(report_api::decision_line(*next)) + "\n"));
  }
}

bool DecisionLog::is_writable() {
  for (;;) {
    {
      const std::lock_guard lock(mutex_);
      if (last_ && std::chrono::steady_clock::now() > *last_) return false;
    }
    pollfd wanted{.fd = file_, .events = POLLOUT, .revents = 0};
    const int ready = ::poll(&wanted, 1, kPoll);
    if (ready > 0) return (wanted.revents & (POLLERR | POLLNVAL)) == 0;
    if (ready < 0 && errno != EINTR) return false;
  }
}

// A line is whole or absent, unless the reader goes away in the middle of it.
bool DecisionLog::write(const std::string& line) {
  if (options_.path != "-" && bytes_ > 0 && bytes_ + line.size() > options_.file_bytes) begin_new_file();
  for (std::size_t at = 0; at < line.size();) {
    if (!is_writable()) return false;
    const auto count = ::write(file_, line.data() + at, std::min(kPipe, line.size() - at));
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count <= 0) {
      log::warn("a decision was not written path={} error={:?}", options_.path, std::strerror(errno));
      return false;
    }
    at += static_cast<std::size_t>(count);
  }
  bytes_ += line.size();
  return true;
}

// If it cannot be begun, the old one stays.
void DecisionLog::begin_new_file() {
  const auto old = options_.path + ".1";
  if (std::rename(options_.path.c_str(), old.c_str()) != 0) return;
  const int next = open_file(options_.path);
  if (next < 0) return;
  ::close(std::exchange(file_, next));
  bytes_ = 0;
}

}  // namespace podium::app::run
