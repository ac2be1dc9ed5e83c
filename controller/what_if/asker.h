// Asker: evaluates questions on forks of the snapshot, within the bounds of all what-ifs, whoever asks.
//
// A question gets a fork that was made on the scheduling strand, and runs on one worker thread from start to
// end, within whatIf.deadline of CPU time. It never changes the scheduler's state. What admission would read
// of the API server is read before (admission_reader.h).
//
// Owner: WhatIfController; the executor of ask() runs until each has returned. Threads: ask() on the I/O
// thread, the others any.
// Errors: a question that makes no sense or takes too long is answered so (answer.h).
#pragma once

#include <atomic>
#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>
#include <utility>

#include "api/admission.h"
#include "async/on.h"
#include "base/clock.h"
#include "controller/report/report.h"
#include "controller/what_if/question.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/config/config.h"

namespace podium::controller {

class Asker {
 public:
  using Fork = std::function<async::Task<cluster::Snapshot>()>;

  using Read = std::function<async::Task<api::AdmissionObjects>(std::shared_ptr<const Question>)>;

  // `read` may be empty: then nothing is read, and the answers say so.
  Asker(const config::Config& config, Clock& clock, boost::asio::any_io_executor workers, Fork fork,
        Read read = {})
      : config_(config),
        clock_(clock),
        workers_(std::move(workers)),
        fork_(std::move(fork)),
        read_(std::move(read)) {}

  // Calls `finish` with the answer, on the worker, and returns its result. The answer has decided_at and
  // evaluate. If no worker begins before `until`, the question is declined (DeadlineExceeded).
  template <typename T>
  async::Task<T> ask(std::shared_ptr<const Question> question, std::function<T(ReportStatus)> finish,
                     Steady until = Steady::max()) {
    api::AdmissionObjects objects;
    if (read_) objects = co_await read_(question);
    auto snapshot = co_await fork_();
    auto evaluation = evaluate<T>(this, std::move(question), std::move(snapshot), std::move(objects),
                                  std::move(finish), until);
    co_return co_await async::on(workers_, std::move(evaluation));
  }
  // For work that belongs on a worker as well, such as reading a question.
  const boost::asio::any_io_executor& workers() const { return workers_; }

  void stop() { stopped_ = true; }  // evaluations under way end soon
  bool stopped() const { return stopped_; }

 private:
  template <typename T>
  static async::Task<T> evaluate(Asker* self, std::shared_ptr<const Question> question,
                                 cluster::Snapshot snapshot, api::AdmissionObjects objects,
                                 std::function<T(ReportStatus)> finish, Steady until) {
    co_return finish(self->answer(*question, std::move(snapshot), objects, until));
  }
  ReportStatus answer(const Question& question, cluster::Snapshot snapshot,
                      const api::AdmissionObjects& objects, Steady until) const;

  const config::Config& config_;
  Clock& clock_;
  const boost::asio::any_io_executor workers_;
  const Fork fork_;
  const Read read_;
  std::atomic<bool> stopped_{false};
};

}  // namespace podium::controller
