// Asker: evaluates questions on forks of the snapshot, within the bounds of all what-ifs, for all callers.
//
// A question waits for its namespace's turn (turns.h), gets a fork that is made on the scheduling strand, and
// runs on one worker thread, within whatIf.deadline of CPU time. If questions of others wait, it pauses on
// its thread after each kSlice of CPU time until its turn comes again: so the executor of the workers has
// kMostPaused threads more than whatIf.workers. It never changes the scheduler's state. The objects that
// admission would read are read before (admission_reader.h).
//
// Owner: WhatIfController; the executor of ask() runs until each has returned. Threads: the I/O thread;
// stopped() any.
// Errors: a question that is not valid or takes too long gets an answer that says so (answer/answer.h).
#pragma once

#include <atomic>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/this_coro.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/admission/admission.h"
#include "async/on.h"
#include "base/clock.h"
#include "controller/what_if/turns.h"
#include "explain/question/question.h"
#include "explain/report/report.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/config/values/config.h"

namespace podium::controller {

class Asker {
 public:
  static constexpr Turns::Cpu kSlice = std::chrono::milliseconds(100);
  using Fork = std::function<async::Task<cluster::Snapshot>()>;

  using Read = std::function<async::Task<api::AdmissionObjects>(std::shared_ptr<const explain::Question>)>;

  // Returns the JSON of the pod or workload that a question refers to; nullopt: it does not exist.
  using Reference = std::function<async::Task<Result<std::optional<std::string>>>(
      std::shared_ptr<const explain::Question>)>;

  // Returns the pods without a node, for the questions that need them (explain::needs_waiting).
  using Waiting = std::function<async::Task<std::vector<cluster::PodInfoPtr>>()>;

  // `read` may be empty: then no objects are read, and the answers say so. Without `waiting` no pod waits,
  // and without `reference` no pod or workload exists.
  Asker(const config::Config& config, Clock& clock, boost::asio::any_io_executor workers, Fork fork,
        Read read = {}, Waiting waiting = {}, Reference reference = {})
      : config_(config),
        clock_(clock),
        workers_(std::move(workers)),
        fork_(std::move(fork)),
        read_(std::move(read)),
        waiting_(std::move(waiting)),
        reference_(std::move(reference)),
        turns_(static_cast<std::size_t>(config.podium.what_if.workers)) {}

  // Calls `finish` with the answer, on the worker, and returns its result. The answer has decided_at and
  // evaluate. If its turn does not come before `until`, the question is declined (DeadlineExceeded).
  template <typename T>
  async::Task<T> ask(std::shared_ptr<const explain::Question> question,
                     std::function<T(explain::ReportStatus)> finish, Steady until = Steady::max()) {
    api::AdmissionObjects objects;
    if (read_) objects = co_await read_(question);
    auto turn = co_await turns_.take(question->meta.namespace_, until);
    if (!turn || clock_.now() >= until) co_return finish(out_of_time());
    // Before the fork: a pod that is placed in between is on the fork, and counts there only.
    auto waiting = co_await waiting_for(this, question);
    auto snapshot = co_await fork_();
    const boost::asio::any_io_executor io = co_await boost::asio::this_coro::executor;
    auto evaluation = evaluate<T>(this, std::move(question), std::move(snapshot), std::move(objects),
                                  std::move(waiting), std::move(finish), &*turn, io);
    auto done = co_await async::on(workers_, std::move(evaluation));
    turn->charge(done.second);
    co_return std::move(done.first);
  }

  // Runs other work of a namespace on a worker in its turn, such as reading a question. Nullopt: its turn did
  // not come before `until`.
  template <typename T>
  async::Task<std::optional<T>> run(std::string ns, std::function<T()> work, Steady until) {
    auto turn = co_await turns_.take(std::move(ns), until);
    if (!turn) co_return std::nullopt;
    auto running = measured<T>(this, std::move(work));
    auto done = co_await async::on(workers_, std::move(running));
    turn->charge(done.second);
    co_return std::move(done.first);
  }

  // The question with its subject, which it refers to and which has this JSON. Read on a worker, since it may
  // be long. Nullopt: its turn did not come before `until`.
  using Referred = Result<std::shared_ptr<const explain::Question>>;
  async::Task<std::optional<Referred>> refer(std::shared_ptr<const explain::Question> question,
                                             std::string json, Steady until);

  // Runs on the I/O thread.
  async::Task<Result<std::optional<std::string>>> reference(std::shared_ptr<const explain::Question> asked) {
    return reference(this, std::move(asked));
  }
  async::Task<cluster::Snapshot> snapshot() { return fork_(); }
  // The pods without a node, if the answer depends on them.
  static async::Task<std::vector<cluster::PodInfoPtr>> waiting_for(
      Asker* self, std::shared_ptr<const explain::Question> question);

  // Runs on the I/O thread. Running evaluations end soon, and no more turns are given.
  void stop() {
    stopped_ = true;
    turns_.stop();
  }
  bool stopped() const { return stopped_; }

 private:
  template <typename T>
  using Measured = std::pair<T, Turns::Cpu>;

  static async::Task<Result<std::optional<std::string>>> reference(
      Asker* self, std::shared_ptr<const explain::Question> asked) {
    if (!self->reference_) co_return std::nullopt;
    co_return co_await self->reference_(std::move(asked));
  }

  template <typename T>
  static async::Task<Measured<T>> evaluate(Asker* self, std::shared_ptr<const explain::Question> question,
                                           cluster::Snapshot snapshot, api::AdmissionObjects objects,
                                           std::vector<cluster::PodInfoPtr> waiting,
                                           std::function<T(explain::ReportStatus)> finish, Turns::Turn* turn,
                                           boost::asio::any_io_executor io) {
    Slices slices(*self, *turn, std::move(io));
    auto result = finish(self->answer(*question, std::move(snapshot), objects, waiting, slices));
    co_return Measured<T>(std::move(result), slices.used());
  }
  template <typename T>
  static async::Task<Measured<T>> measured(Asker* self, std::function<T()> work) {
    const auto before = self->clock_.cpu_time();
    auto result = work();
    co_return Measured<T>(std::move(result), self->clock_.cpu_time() - before);
  }
  // The CPU time of a question, on its worker.
  class Slices {
   public:
    Slices(const Asker& asker, Turns::Turn& turn, boost::asio::any_io_executor io)
        : asker_(asker), turn_(turn), io_(std::move(io)), began_(asker.clock_.cpu_time()) {}
    // False: its time is over, or the process stops. May pause.
    bool go_on();
    Turns::Cpu used() const { return asker_.clock_.cpu_time() - began_ - charged_; }  // since the last pause

   private:
    void pause();

    const Asker& asker_;
    Turns::Turn& turn_;
    const boost::asio::any_io_executor io_;
    const Turns::Cpu began_;
    Turns::Cpu charged_{0};
  };

  explain::ReportStatus answer(const explain::Question& question, cluster::Snapshot snapshot,
                               const api::AdmissionObjects& objects,
                               const std::vector<cluster::PodInfoPtr>& waiting, Slices& slices) const;
  explain::ReportStatus out_of_time() const;

  const config::Config& config_;
  Clock& clock_;
  const boost::asio::any_io_executor workers_;
  const Fork fork_;
  const Read read_;
  const Waiting waiting_;
  const Reference reference_;
  Turns turns_;
  std::atomic<bool> stopped_{false};
};

}  // namespace podium::controller
