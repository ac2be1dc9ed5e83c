// Gate: owns the coroutines that run in the background for one part of the program.
//
// spawn() starts a coroutine inside of a gate. It is inside until it has ended, or is destroyed with its
// context, and whatever the coroutine uses lives at least as long as the gate. Stopping is: close() (nothing
// more starts), cancel() where what runs shall not come to its own end, and drained() to wait until nothing
// runs. A part that owns a gate is destroyed only when its gate is empty.
//
// An exception that leaves a coroutine is a bug. The gate hands it to its Fault with the coroutine's name;
// the process logs it and stops in order. Without a Fault it terminates the process. The end of a cancelled
// coroutine is no fault.
//
// Owner: the part that spawns. Threads: all functions from any thread; a Fault is called on the executor of
// the coroutine.
// Source of the idea: Seastar's gate (core/gate.hh).
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "async/task.h"

namespace podium::async {

class Gate {
 public:
  using Fault = std::function<void(std::string_view task, std::string_view what)>;

  explicit Gate(Fault fault = {});
  ~Gate();  // aborts where a coroutine is still inside
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  // From now on spawn() starts nothing.
  void close();
  // close(), and ends the waits of what is inside: the wait returns, and the co_await after it throws
  // asio::error::operation_aborted. A coroutine with throw_if_cancelled(false) is not thrown out and looks
  // itself.
  void cancel();
  bool closed() const;
  std::size_t inside() const;
  std::vector<std::string> names() const;  // of what is inside, for logs

  // Waits until nothing is inside, at most so long. False: the time is over.
  Task<bool> drained(std::chrono::milliseconds within);

 private:
  friend bool spawn(Gate&, boost::asio::any_io_executor, std::string, Task<void>);
  struct State;
  std::shared_ptr<State> state_;
};

// Runs the task on the executor, inside of the gate. False: the gate is closed and the task is dropped.
bool spawn(Gate& gate, boost::asio::any_io_executor executor, std::string name, Task<void> task);

}  // namespace podium::async
