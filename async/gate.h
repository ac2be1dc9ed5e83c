// Gate: owns the background coroutines of one part of the program. Modelled on Seastar's gate (core/gate.hh).
//
// spawn() starts a coroutine inside the gate. It stays inside until it ends or is destroyed with its context.
// To stop: close() so that nothing more starts, cancel() unless the coroutines end by themselves, and await
// drained(). Destroy the owner and what its coroutines use only when the gate is empty.
//
// An exception that leaves a coroutine is a bug. The gate logs it with the coroutine's name and calls Fault,
// which stops the process in order; without a Fault it aborts. A cancelled coroutine is not a fault.
//
// Owner: the part that spawns. Threads: all functions from any thread; Fault is called on the coroutine's
// executor. Errors: none.
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
  ~Gate();  // aborts if a coroutine is still inside
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  // Makes all later calls of spawn() start nothing.
  void close();
  // close(), and cancels the coroutines inside: their current wait returns, and the next co_await throws
  // asio::error::operation_aborted. Coroutines with throw_if_cancelled(false) have to check by themselves
  // whether they are cancelled.
  void cancel();
  bool closed() const;
  std::size_t inside() const;
  std::vector<std::string> names() const;  // of the coroutines inside, for logs

  // Waits until the gate is empty, at most for `within`. False: it is not empty.
  Task<bool> drained(std::chrono::milliseconds within);

 private:
  friend bool spawn(Gate&, boost::asio::any_io_executor, std::string, Task<void>);
  struct State;
  std::shared_ptr<State> state_;
};

// Runs the task on the executor, inside the gate. False: the gate is closed, and the task is destroyed.
bool spawn(Gate& gate, boost::asio::any_io_executor executor, std::string name, Task<void> task);

}  // namespace podium::async
