// ReportDeleter: deletes reports that Retention has taken from its index, several at once.
//
// A report is deleted with its UID and its resourceVersion as preconditions; where it goes early, to make
// room, with its UID only: whoever writes it again and again does not keep it. Where all that expire in one
// minute of a namespace are taken, and the minute is over, they go by their label, many in one request; what
// that leaves goes one by one. A report that is to be looked at, or that was written since podium knows of
// it, is read, and tracked with the TTL that it has. A failed deletion is retried after a backoff of its own.
// A report that podium has written again meanwhile is left alone.
//
// Owner: Retention; `gate` is empty before this is destroyed. Threads: push() and stays() on `io`, where the
// requests run, too. Errors: logged and retried.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "async/gate.h"
#include "base/fair_queue_options.h"
#include "base/result.h"
#include "client/api.h"
#include "controller/retention/state.h"

namespace podium::controller {

class ReportDeleter {
 public:
  struct Backoffs {
    Backoff item, all;  // all: while the API server is away
  };

  // Calls `looked` under the state's mutex when a report's TTL has become known.
  ReportDeleter(client::Api& api, RetentionState& state, Backoffs backoffs, async::Gate& gate,
                boost::asio::any_io_executor io, std::function<void()> looked);
  ~ReportDeleter();

  void push(std::vector<RetentionIndex::Report> reports);
  // The answer to a deletion that another part has sent.
  void deleted(const RetentionIndex::Report& report, const Result<std::string>& answer);
  // Tries deletions by label again after they were refused.
  void forget_refusals();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace podium::controller
