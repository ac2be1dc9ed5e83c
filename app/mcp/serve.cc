#include "app/mcp/serve.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <deque>
#include <iostream>
#include <list>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "app/mcp/protocol.h"
#include "base/descriptor.h"

namespace podium::mcp {
namespace {

class Event {
 public:
  int fd() const { return fd_.get(); }
  void set() const { ::eventfd_write(fd(), 1); }
  void clear() const {
    eventfd_t count = 0;
    ::eventfd_read(fd(), &count);
  }

 private:
  const Descriptor fd_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
};

// SIGTERM and SIGINT as something to poll, while this exists. A handler, since a thread that does not block
// these signals may get them. One at a time.
class Signals {
 public:
  Signals() {
    got().clear();
    got_fd = got().fd();
    struct sigaction action{};
    action.sa_handler = [](int) { ::eventfd_write(got_fd, 1); };
    ::sigaction(SIGTERM, &action, &term_before_);
    ::sigaction(SIGINT, &action, &int_before_);
  }
  ~Signals() {
    ::sigaction(SIGTERM, &term_before_, nullptr);
    ::sigaction(SIGINT, &int_before_, nullptr);
  }
  Signals(const Signals&) = delete;
  int fd() const { return got().fd(); }

 private:
  // Never closed: the handler may still run on another thread when this ends.
  static const Event& got() {
    static const auto* const event = new Event;
    return *event;
  }
  static inline std::atomic<int> got_fd = -1;
  static_assert(std::atomic<int>::is_always_lock_free);
  struct sigaction term_before_{}, int_before_{};
};

class Server {
 public:
  explicit Server(const ServeOptions& options) : options_(options) {}

  int run() {
    while (ok_ && (reads_ || !running_.empty() || !waiting_.empty())) {
      std::array<pollfd, 3> watched{
          {{signals_.fd(), POLLIN, 0}, {done_.fd(), POLLIN, 0}, {reads_ ? options_.input : -1, POLLIN, 0}}};
      if (::poll(watched.data(), watched.size(), -1) < 0) {
        if (errno == EINTR) continue;
        failed("wait for standard input");
        break;
      }
      if (watched[0].revents != 0) break;
      if (watched[1].revents != 0) finish();
      if (watched[2].revents != 0) read();
      start();
    }
    for (const auto& each : running_) each.cancel->set();
    running_.clear();  // joins
    return ok_ ? 0 : 1;
  }

 private:
  // The replies to a batch, until none is missing.
  struct Batch {
    std::size_t missing;
    std::vector<std::string> replies = {};
  };
  using BatchPtr = std::shared_ptr<Batch>;  // null: of a message that came alone
  struct Waiting {
    ToolCall call;
    BatchPtr batch;
  };
  struct Running {
    ToolCall call;
    BatchPtr batch;
    bool is_cancelled = false;
    std::unique_ptr<Event> cancel = std::make_unique<Event>();
    std::optional<Result<ChildEnd>> end = {};  // guarded by mutex_
    std::jthread thread = {};
  };

  void read() {
    char buffer[16 * 1024];
    const auto size = ::read(options_.input, buffer, sizeof buffer);
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (size < 0) failed("read standard input");
    if (size <= 0) {
      reads_ = false;
      if (size == 0) end_line();
      return;
    }
    for (std::string_view left(buffer, static_cast<std::size_t>(size)); !left.empty();) {
      const auto end = left.find('\n');
      const auto part = left.substr(0, end);
      if (line_.size() + part.size() > kLongestMessage) is_too_long_ = true;
      if (!is_too_long_) line_ += part;
      if (end == left.npos) return;
      left.remove_prefix(end + 1);
      end_line();
    }
  }

  void end_line() {
    if (std::exchange(is_too_long_, false))
      write(too_long());
    else if (line_.find_first_not_of(" \t\r") != line_.npos)
      take_line();
    line_.clear();
  }

  void take_line() {
    auto line = take(line_);
    const auto batch = line.is_batch ? std::make_shared<Batch>(line.effects.size()) : nullptr;
    for (auto& effect : line.effects) {
      if (effect.cancelled) cancel(*effect.cancelled);
      if (!effect.call) {
        answer(batch, std::move(effect.reply));
      } else if (waiting_.size() >= options_.most_waiting) {
        answer(batch,
               refused(*effect.call, "too many calls wait; call again when others have been answered"));
      } else {
        waiting_.push_back({std::move(*effect.call), batch});
      }
    }
  }

  // An empty reply: none.
  void answer(const BatchPtr& batch, std::string reply) {
    if (!batch) {
      if (!reply.empty()) write(std::move(reply));
      return;
    }
    if (!reply.empty()) batch->replies.push_back(std::move(reply));
    if (--batch->missing == 0 && !batch->replies.empty())
      write(fmt::format("[{}]", fmt::join(batch->replies, ",")));
  }

  void cancel(const boost::json::value& id) {
    const auto is_meant = [&](const Waiting& each) { return each.call.id == id; };
    for (const auto& each : waiting_) {
      if (is_meant(each)) answer(each.batch, "");
    }
    std::erase_if(waiting_, is_meant);
    for (auto& each : running_) {
      if (each.call.id != id) continue;
      each.is_cancelled = true;
      each.cancel->set();
    }
  }

  void start() {
    while (!waiting_.empty() && running_.size() < options_.most_running) {
      auto& next = running_.emplace_back(std::move(waiting_.front().call), std::move(waiting_.front().batch));
      waiting_.pop_front();
      next.thread = std::jthread([this, &next, child = child_of(next.call)] {
        auto end = end_of_child(child, next.cancel->fd());
        {
          const std::lock_guard lock(mutex_);
          next.end = std::move(end);
        }
        done_.set();
      });
    }
  }

  ChildProcess child_of(const ToolCall& call) const {
    ChildProcess out;
    out.command = options_.program;
    out.arguments = {call.command.words.front(), "--output=answer"};
    // A flag of the call replaces that of the server.
    for (auto& flag : options_.flags(call.verb)) {
      const auto name = flag.substr(0, flag.find('=') + 1);
      const bool is_given = std::ranges::any_of(call.command.words, [&](const std::string& word) {
        return name.size() > 1 && word.starts_with(name);
      });
      if (!is_given) out.arguments.push_back(std::move(flag));
    }
    out.arguments.insert(out.arguments.end(), call.command.words.begin() + 1, call.command.words.end());
    for (char** entry = environ; *entry; ++entry) out.environment.emplace_back(*entry);
    out.input = call.command.input;
    out.deadline = options_.deadline;
    out.output_limit = 64u << 20;
    out.keeps_errors = true;
    return out;
  }

  void finish() {
    done_.clear();
    for (auto each = running_.begin(); each != running_.end();) {
      std::optional<Result<ChildEnd>> end;
      {
        const std::lock_guard lock(mutex_);
        end = std::move(each->end);
      }
      if (!end) {
        ++each;
        continue;
      }
      answer(each->batch, each->is_cancelled ? "" : reply_of(each->call, *end));
      each = running_.erase(each);
    }
  }

  // Waits for a client that does not read, until a signal: the rest of the line is dropped, and run() ends.
  void write(std::string line) {
    line += '\n';
    for (std::string_view left = line; ok_ && !left.empty();) {
      std::array<pollfd, 2> watched{{{signals_.fd(), POLLIN, 0}, {options_.output, POLLOUT, 0}}};
      if (::poll(watched.data(), watched.size(), -1) < 0) {
        if (errno != EINTR) failed("wait for standard output");
        continue;
      }
      if (watched[0].revents != 0) return;
      // A pipe that can be written takes this many bytes without blocking.
      const auto size = ::write(options_.output, left.data(), std::min<std::size_t>(left.size(), PIPE_BUF));
      if (size < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (size <= 0) failed("write to standard output");
      if (size > 0) left.remove_prefix(static_cast<std::size_t>(size));
    }
  }

  // Ends run(). A client that has left needs no words.
  void failed(std::string_view what) {
    ok_ = false;
    if (errno != EPIPE)
      std::cerr << fmt::format("podium mcp: cannot {}: {}\n", what, std::system_category().message(errno));
  }

  const ServeOptions& options_;
  Signals signals_;
  Event done_;
  std::mutex mutex_;
  std::deque<Waiting> waiting_;
  std::list<Running> running_;
  std::string line_;
  bool is_too_long_ = false, reads_ = true, ok_ = true;
};

}  // namespace

int serve(const ServeOptions& options) {
  // A client that is gone is an error of write().
  ::signal(SIGPIPE, SIG_IGN);
  return Server(options).run();
}

}  // namespace podium::mcp
