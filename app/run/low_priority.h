// LowPriorityThreads: threads that run the handlers of one executor, with a lower scheduling priority.
//
// What-ifs can fill a core for seconds. The kernel then prefers the threads that schedule pods, and those of
// etcd and the API server on the same machine. These threads still get all idle CPU.
// Not boost::asio::thread_pool: its constructor waits forever if it cannot start one of several threads.
// Source: setpriority(2); Linux keeps a nice value for each thread.
// Owner: the process. Threads: the executor any, the others the owner's. Errors: the constructor throws
// std::system_error if a thread cannot be started; if the system refuses, the priority does not change.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <thread>
#include <vector>

namespace podium::app::run {

inline constexpr int kNiceIncrement = 10;  // about a tenth of an ordinary thread's share

class LowPriorityThreads {
 public:
  using Executor = boost::asio::io_context::executor_type;

  explicit LowPriorityThreads(std::size_t count);
  ~LowPriorityThreads();  // waits for the handlers that run, and drops the others
  LowPriorityThreads(const LowPriorityThreads&) = delete;
  LowPriorityThreads& operator=(const LowPriorityThreads&) = delete;

  Executor get_executor() { return context_.get_executor(); }
  void join();  // returns when no handler is left

 private:
  void stop();

  boost::asio::io_context context_;
  boost::asio::executor_work_guard<Executor> work_;
  std::vector<std::thread> threads_;
};

}  // namespace podium::app::run
