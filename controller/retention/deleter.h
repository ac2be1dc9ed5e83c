// ReportDeleter: deletes reports that Retention has taken from its index, several at the same time.
//
// A report is deleted with its UID and its resourceVersion as preconditions. If it is deleted early, to make
// room, the UID is the only one: a client cannot keep a report by writing it again and again. If all reports
// of a namespace that expire in one past minute are taken, they are deleted by label, many in one request,
// and the rest one by one. A report that needs a look, or that was written since podium last saw it, is read,
// and tracked with its current TTL. A failed deletion is retried after a backoff of its own. A report that
// podium has rewritten in the meantime stays.
//
// Owner: Retention; `gate` is empty before this is destroyed. Threads: push() on `io`, where the
// requests also run. Errors: logged and retried.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "async/fair_queue_options.h"
#include "async/gate.h"
#include "base/result.h"
#include "client/api.h"
#include "controller/retention/state.h"

namespace podium::controller {

class ReportDeleter {
 public:
  struct Backoffs {
    Backoff item, all;  // all: while the API server is away
  };

  using Looked = std::function<void(RetentionState&)>;

  // Calls `looked` when a report's TTL was read.
  ReportDeleter(client::Api& api, SharedRetention& shared, Backoffs backoffs, async::Gate& gate,
                boost::asio::any_io_executor io, Looked looked);
  ~ReportDeleter();

  void push(std::vector<RetentionIndex::Report> reports);
  // The reply to a deletion that another part has sent.
  void deleted(const RetentionIndex::Report& report, const Result<std::string>& answer);
  // Tries deletions by label again after they were refused.
  void forget_refusals();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace podium::controller
