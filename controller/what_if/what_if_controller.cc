#include "controller/what_if/what_if_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "async/nap.h"
#include "async/timer.h"
#include "base/backoff.h"
#include "base/text_hash.h"
#include "client/request_errors.h"
#include "controller/what_if/admission_reader.h"
#include "controller/what_if/answer_patch.h"
#include "controller/what_if/asked.h"
#include "controller/what_if/asker.h"
#include "controller/what_if/queues.h"
#include "controller/what_if/screening.h"
#include "controller/what_if/what_if_reader.h"
#include "explain/answer/answer.h"
#include "explain/report/ttl.h"
#include "log/limit.h"
#include "log/log.h"
#include "metrics/samples.h"

namespace podium::controller {
namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;
using client::Task;

constexpr Backoff kListPauses{250ms, 60s};

constexpr std::size_t kMessageBytes = 1024;

constexpr std::chrono::seconds kUnchanged = 60s;  // the same answer is written once in this time
constexpr Refreshes::Limits kRefreshed{.all = 100, .per_namespace = 10};

std::string object_key(std::string_view ns, std::string_view name) { return fmt::format("{}/{}", ns, name); }

template <typename Item>
void schedule_retry(Item& item, const Error& error) {
  item.outcome = outcome_of_failure(error);
  item.at_least = std::chrono::seconds(error.status.retry_after);
}

}  // namespace

struct WhatIfController::Impl final : client::ReflectorHandler {
  using Questions = WhatIfQuestions;
  using Answers = WhatIfAnswers;

  Impl(client::Api& api, Retention& retention, const config::Config& config, async::Gate& gate,
       asio::any_io_executor io, asio::any_io_executor workers, Fork fork, Ended ended, Waiting waiting,
       std::chrono::milliseconds relist)
      : api(api),
        retention(retention),
        config(config),
        gate(gate),
        io(io),
        ended(std::move(ended)),
        admission(api, waiting),
        reader(api, config),
        asker(
            config, api.clock(), std::move(workers), std::move(fork),
            [this](std::shared_ptr<const explain::Question> question) {
              return admission.read(std::move(question));
            },
            std::move(waiting),
            [this](std::shared_ptr<const explain::Question> question) {
              return reader.read_reference(std::move(question));
            }),
        questions(options_for_questions(config.podium.what_if), api.clock(), api.random(), gate, io,
                  [this](std::vector<Questions::Item>& batch) { return respond(&batch.front()); }),
        answers(options_for_answers(), api.clock(), api.random(), gate, io,
                [this](std::vector<Answers::Item>& batch) { return write(&batch.front()); }),
        reflector(api,
                  {.resource = client::resource::scheduling_reports,
                   .field_selector = "spec.dryRun=true",
                   .relist = relist},
                  *this) {}

  void changed(std::span<const client::Change> changes) override {
    for (const auto& change : changes) {
      const Seen seen(change.object.view());
      const auto key = object_key(seen.asked.ns, seen.asked.name);
      if (change.type == client::Change::Type::deleted) {
        questions.forget(key);
        // A waiting answer may be for the next report of this name, and then stays.
        answers.forget_if(key, [&](const AnswerPatch& answer) { return answer.uid == seen.asked.uid; });
        unanswered.erase(key);
        refreshes.drop(key);
        retention.forget(seen.asked.ns, seen.asked.name, seen.asked.uid);
        continue;
      }
      const bool ours = reader.is_ours(seen.scheduler_name);
      if (seen.is_complete()) watch_due(seen, key, ours);
      if (ours && !seen.is_answered()) offer(seen.asked);
    }
  }
  void synced() override {}
  // Without the CRD there are none; CrdCheck reports that.
  void unavailable(const Error& error) override {
    if (error.status.code == 404) return;
    log::warn("cannot list or watch what-ifs verb={} resource={} code={} error={:?}", error.request.verb,
              error.request.resource, error.status.code, error.text());
  }

  bool stopping() const { return stopped.load(std::memory_order_relaxed) || gate.closed(); }

  // --- queueing ---

  // Queues the question. If the queue is full, queues its refusal; if that also fails, starts listing.
  void offer(const Asked& asked) {
    const auto key = object_key(asked.ns, asked.name);
    // If the queued answer is for an older spec, the reply to its patch shows that, and leads back here.
    if (answers.contains(key)) return;
    // The watch shows the labels of an answer before its status. When the answer is written, the report is
    // read again: only that shows if the answer has been removed or the spec edited since.
    if (answers.holds(key)) {
      unanswered.insert_or_assign(key, asked);
      return;
    }
    enqueue(asked, key);
  }

  void enqueue(const Asked& asked, const std::string& key) {
    if (questions.push(asked.ns, key, {asked.name}, kNew) != Questions::Pushed::refused) return;
    if (answers.counts().waiting < kAnswers / 2 && refuse(asked, key)) return;
    if (stopping() || std::exchange(overflowed, true) || listing) return;
    log::warn("what-if queue is full, listing what-ifs until all are answered namespace={}", asked.ns);
    listing = async::spawn(gate, io, "list what-ifs", list_until_answered());
  }

  bool refuse(const Asked& asked, const std::string& key) {
    if (!asked.is_complete()) return false;
    const auto& what_if = config.podium.what_if;
    auto status = explain::declined(
        explain::kTooManyQuestions,
        fmt::format("too many what-ifs wait to be answered (at most {} in a namespace, {} in all); "
                    "to ask again, change the spec later or create another what-if",
                    what_if.max_waiting_per_namespace, what_if.max_waiting));
    const AnswerTerms terms{.ttl = config.podium.reports.ttl, .refresh = 0s, .asked_at = api.clock().now()};
    auto answer = make_patch(asked, std::move(status), api.clock().wall(), terms);
    answer.made = api.clock().now();
    return answers.push(asked.ns, key, std::move(answer), kRefusal) != Answers::Pushed::refused;
  }

  Task<void> list_until_answered() {
    for (unsigned tries = 1; overflowed && !stopping(); ++tries) {
      co_await async::nap(kListPauses.after(tries));
      overflowed = false;
      std::function<void(const Asked&)> each = [this](const Asked& asked) { offer(asked); };
      const auto listed = co_await reader.list(std::move(each));
      if (!listed) {
        overflowed = true;
        log::warn("cannot list what-ifs verb={} resource={} error={:?}", listed.error().request.verb,
                  listed.error().request.resource, listed.error().text());
      }
    }
    listing = false;
  }

  // --- asking again ---

  // Keeps the due times of the watched what-ifs: an answered one is due, even if another process answered it;
  // an edited one gets its next due time with its answer.
  void watch_due(const Seen& seen, const std::string& key, bool ours) {
    if (!ours || seen.refresh == 0s) return refreshes.drop(key);
    if (!seen.is_answered()) return refreshes.clear_due(key);
    if (is_in_progress(key) || refreshes.has_due(key)) return;
    // A refusal stays until the spec changes: otherwise what-ifs would alternate in each other's places.
    const auto* accepted = seen.asked.before.condition("Accepted");
    if (accepted && accepted->reason == explain::kTooManyRefreshed) return;
    if (!refreshes.place(seen.asked.ns, seen.asked.name, key, seen.refresh)) {
      questions.push(seen.asked.ns, key, {seen.asked.name, true}, kAgain);  // is refused then
      return;
    }
    const auto age = seen.decided_at ? seconds_between(*seen.decided_at, api.clock().wall()) : 0s;
    const auto left = std::clamp<std::chrono::seconds>(seen.refresh - age, 0s, seen.refresh);
    refreshes.set_due(key, api.clock().now() + left);
    rearm_refresh_timer();
  }

  bool is_in_progress(const std::string& key) const { return questions.holds(key) || answers.holds(key); }

  void refresh_later(const std::string& key) {
    refreshes.set_next_due(key, api.clock().now());
    rearm_refresh_timer();
  }

  void rearm_refresh_timer() {
    if (stopping() || !refreshes.next_due()) return;
    if (sleeper) {
      sleeper->cancel();
    } else {
      sleeper = std::make_shared<async::Timer>(io);
      if (!async::spawn(gate, io, "ask what-ifs again", ask_due(sleeper))) sleeper.reset();
    }
  }

  Task<void> ask_due(std::shared_ptr<async::Timer> timer) {
    for (auto next = refreshes.next_due(); next && !stopping(); next = refreshes.next_due()) {
      const auto now = api.clock().now();
      if (*next > now) {
        timer->expires_after(*next - now);
        boost::system::error_code ignored;
        co_await timer->async_wait(asio::redirect_error(asio::use_awaitable, ignored));
        continue;
      }
      for (auto& due : refreshes.take_due(now)) {
        // A what-if in progress gets its next due time when it ends.
        if (is_in_progress(due.key)) continue;
        const auto pushed = questions.push(due.ns, due.key, {due.name, true}, kAgain);
        if (pushed == Questions::Pushed::refused) refreshes.set_next_due(due.key, now);
      }
    }
    sleeper.reset();
  }

  // --- answering a question ---

  Task<void> respond(Questions::Item* item) {
    if (stopping()) co_return;
    auto read = co_await reader.read(item->ns, item->value.name, item->value.again);
    if (!read) {
      schedule_retry(*item, read.error());
      if (item->outcome != async::Outcome::retry) log_failure("read", item->key, read.error());
      co_return;
    }
    if (!*read) {
      refresh_later(item->key);
      co_return;
    }
    if (const bool has_subject = co_await read_subject(&asker, &**read); !has_subject) co_return;
    auto& [asked, question, ttl, refresh, bytes, again, reference] = **read;
    const auto ttl_of_refusals = config.podium.reports.ttl;
    auto [terms, answer, is_refused_already] =
        Screening(api.clock(), retention, refreshes, ttl_of_refusals).admit(item->key, item->since, **read);
    if (is_refused_already) co_return;
    rearm_refresh_timer();  // its place may have been another one's
    if (!answer) {
      auto asking = ask(std::make_shared<const explain::Question>(std::move(*question)), asked, terms);
      answer = co_await std::move(asking);
    }
    if (stopping()) co_return;
    answer->bytes = bytes;
    answer->made = api.clock().now();
    refreshes.set_numbers(item->key, answer->numbers);
    const auto most = std::min<Steady::duration>(kUnchanged, terms.ttl / 2);
    if (again && !refreshes.is_news(item->key, answer->content, api.clock().now(), most)) {
      refresh_later(item->key);
      co_return;
    }
    const auto pushed = answers.push(item->ns, item->key, std::move(*answer), kAnswer);
    if (pushed == Answers::Pushed::refused) item->outcome = async::Outcome::retry_namespace;
  }

  // The answer's text is also formatted on the worker: it may be long.
  Task<AnswerPatch> ask(std::shared_ptr<const explain::Question> question, Asked asked, AnswerTerms terms) {
    terms.ttl = question->ttl;
    const std::function<AnswerPatch(explain::ReportStatus)> finish = [asked,
                                                                      terms](explain::ReportStatus status) {
      const auto decided_at = *status.decided_at;
      return make_patch(asked, std::move(status), decided_at, terms);
    };
    co_return co_await asker.ask<AnswerPatch>(question, finish);
  }

  // --- writing an answer ---

  Task<void> write(Answers::Item* item) {
    co_await send(item);
    if (async::is_retried(item->outcome)) co_return;
    if (const auto left = unanswered.extract(item->key)) enqueue(left.mapped(), item->key);
  }

  Task<void> send(Answers::Item* item) {
    auto requests = patch_requests(item->ns, item->value);
    const auto replies = co_await api.send_all(std::move(requests));
    auto labelled = replies.front();
    const auto& reply = replies.back();
    std::optional<Asked> stored;
    if (!reply) {
      if (client::object_is_gone(reply.error())) co_return;
      if (labelled) follow(item->value, read_reply(*labelled));
      schedule_retry(*item, reply.error());
      // Both are sent again: the longer time counts.
      if (!labelled)
        item->at_least = std::max<std::chrono::milliseconds>(
            item->at_least, std::chrono::seconds(labelled.error().status.retry_after));
      if (reply.error().status.code == 422) stored = co_await look_again(item, reply.error());
      if (!stored) {
        if (item->outcome == async::Outcome::done)
          refresh_later(item->key);
        else if (item->outcome != async::Outcome::retry)
          log_failure("answer", item->key, reply.error());
        co_return;
      }
      item->outcome = async::Outcome::done;
    } else {
      stored = read_reply(*reply);
      if (stored) stored->before.status = item->value.after;  // the reply has only the metadata
    }
    if (!labelled && client::is_conflict(labelled.error()) && stored && needs_labels(item->value, *stored)) {
      // It was read before another write, and is known again from the reply to the status.
      follow(item->value, stored);
      std::vector<client::Request> again;
      again.push_back(labels_request(item->ns, item->value));
      labelled = (co_await api.send_all(std::move(again))).front();
      if (labelled) stored = read_reply(*labelled);
    }
    if (!labelled && (!stored || needs_labels(item->value, *stored))) {
      const auto& error = labelled.error();
      if (!goes_without_labels(error)) {
        follow(item->value, stored);
        schedule_retry(*item, error);
        if (item->outcome != async::Outcome::retry) log_failure("labels", item->key, error);
        co_return;
      }
      if (log.allows(fmt::format("labels {}", error.status.code), api.clock().now()))
        log::warn("labels of what-ifs are not written verb={} resource={} error={:?}", error.request.verb,
                  error.request.resource, error.text());
    }
    written(*item, stored ? stored->version : "");
    // Its spec was edited while the answer waited, and the watch has shown that already.
    if (stored && stored->generation > item->value.generation) offer(*stored);
  }

  // Finds out why an answer was refused. If an earlier try of it has taken effect, and only its reply was
  // lost, returns the report. If another status was written since the report was read, the next try replaces
  // that one, unless it is an answer too. If another what-if has the name, or its spec was edited, drops the
  // answer and asks again: the watch event found the answer waiting.
  Task<std::optional<Asked>> look_again(Answers::Item* item, Error error) {
    auto& answer = item->value;
    const auto stored = co_await reader.stored(item->ns, answer.name);
    if (!stored) co_return std::nullopt;
    if (stored->uid != answer.uid || stored->generation != answer.generation) {
      const auto pushed = questions.push(item->ns, item->key, {answer.name}, kNew);
      if (pushed != Questions::Pushed::refused) item->outcome = async::Outcome::done;
      co_return std::nullopt;
    }
    if (stored->before.status == answer.after) co_return *stored;
    if (stored->before.status != answer.before) {
      answer.before = stored->before.status;
      if (answer.before.observed == answer.after.observed) item->outcome = async::Outcome::done;
      co_return std::nullopt;
    }
    log_failure("answer", item->key, error);  // refused for its content, or by a policy
    if (!answer.is_substitute) answer = substitute(*item, error);
    co_return std::nullopt;
  }

  // The substitute for an answer that the API server refuses. The answer itself would be refused again at
  // each try.
  AnswerPatch substitute(const Answers::Item& item, const Error& error) const {
    const auto& answer = item.value;
    auto status =
        explain::declined(explain::kAnswerNotTaken,
                          explain::cut("the API server refuses the answer: " + error.text(), kMessageBytes));
    const AnswerTerms terms{.ttl = config.podium.reports.ttl, .refresh = 0s, .asked_at = answer.asked_at};
    Asked asked{item.ns, answer.name, answer.uid, answer.generation};
    asked.version = answer.version;
    asked.before.status = answer.before;
    auto made = make_patch(asked, std::move(status), api.clock().wall(), terms);
    made.made = api.clock().now();
    made.bytes = answer.bytes;
    made.is_substitute = true;
    return made;
  }

  void written(const Answers::Item& item, std::string version) {
    const auto& answer = item.value;
    const StoredReport facts{.bytes = size_of_report(answer.bytes + answer.status.size()),
                             .version = std::move(version)};
    // It may have waited, and the wall clock may have been set during that time.
    const auto waited = std::chrono::floor<std::chrono::seconds>(api.clock().now() - answer.made);
    const auto ttl = answer.ttl >= explain::kKept ? explain::kKept : std::max(answer.ttl - waited, 0s);
    retention.track(item.ns, answer.name, answer.uid, ttl, ReportKind::question, std::nullopt, facts);
    answered.fetch_add(1, std::memory_order_relaxed);
    refreshes.written(item.key, answer.content, api.clock().now());
    refresh_later(item.key);
    if (ended) note_end(answer);
  }

  void note_end(const AnswerPatch& answer) const {
    WhatIfEnd end;
    end.result = answer.result;
    end.refused = answer.refused;
    end.duration = api.clock().now() - answer.asked_at;
    ended(end);
  }

  // A missing right or an unreachable API server stops all what-ifs: log one line a minute.
  void log_failure(const char* what, const std::string& key, const Error& error) {
    const auto& request = error.request;
    if (!log.allows(fmt::format("{} {} {} {}", what, request.verb, request.resource, error.status.code),
                    api.clock().now()))
      return;
    log::warn("what-if not answered yet verb={} resource={} report={} error={:?}", request.verb,
              request.resource, key, error.text());
  }

  client::Api& api;
  Retention& retention;
  const config::Config& config;
  async::Gate& gate;
  const asio::any_io_executor io;
  const Ended ended;
  AdmissionReader admission;
  WhatIfReader reader;
  Asker asker;
  LogLimit log;
  std::atomic<bool> stopped{false};
  std::atomic<std::uint64_t> answered{0};
  Questions questions;
  Answers answers;
  // What-ifs that the watch showed without an answer while their answer was being written, by key.
  std::unordered_map<std::string, Asked, TextHash> unanswered;
  Refreshes refreshes{kRefreshed};
  std::shared_ptr<async::Timer> sleeper;  // of ask_due(), while it runs
  bool overflowed = false;                // a question was dropped from both queues
  bool listing = false;                   // list_until_answered() runs
  client::Reflector reflector;
};

WhatIfController::WhatIfController(client::Api& api, Retention& retention, const config::Config& config,
                                   async::Gate& gate, asio::any_io_executor io, asio::any_io_executor workers,
                                   Fork fork, Ended ended, Waiting waiting, std::chrono::milliseconds relist)
    : impl_(std::make_unique<Impl>(api, retention, config, gate, std::move(io), std::move(workers),
                                   std::move(fork), std::move(ended), std::move(waiting), relist)) {}

WhatIfController::~WhatIfController() = default;

Task<void> WhatIfController::run() { return impl_->reflector.run(); }

void WhatIfController::stop() {
  impl_->stopped = true;
  impl_->asker.stop();
  impl_->reflector.stop();
}
Asker& WhatIfController::asker() { return impl_->asker; }

std::size_t WhatIfController::waiting() const {
  return impl_->questions.counts().waiting + impl_->questions.counts().busy + impl_->answers.counts().waiting;
}
std::vector<Refreshes::Answered> WhatIfController::refreshed() const { return impl_->refreshes.answered(); }
std::uint64_t WhatIfController::answered() const { return impl_->answered.load(std::memory_order_relaxed); }

void WhatIfController::sample_metrics(metrics::Samples& out) const {
  out.gauge("podium_what_ifs_pending", "What-ifs that wait for an answer.", waiting());
  const auto all = refreshed();
  auto& fitting = out.gauges("podium_what_if_fitting",
                             "How many replicas of a what-if with `refreshSeconds` fit, by its last answer "
                             "([reports.md](reports.md#capacity-probes)). Absent while it is refused, and "
                             "after its deletion; at most 100.",
                             {"namespace", "name"});
  for (const auto& [ns, name, numbers] : all) {
    if (!numbers.nodes_wanted && !numbers.nodes_spare) fitting.add({ns, name}, numbers.fitting);
  }
  auto& wanted = out.gauges(
      "podium_nodes_wanted",
      "Nodes to add so that all pending pods are placed, by the last answer to a what-if with "
      "`search.forPending` and `refreshSeconds` ([reports.md](reports.md#searches-for-nodes)). Absent "
      "while it is refused, and after its deletion.",
      {"namespace", "name"});
  auto& unplaced =
      out.gauges("podium_nodes_wanted_unplaced_pods",
                 "Pending pods that would not fit even with these nodes: they fit on no shape, or too "
                 "few nodes of their shape can be added.",
                 {"namespace", "name"});
  auto& spare =
      out.gauges("podium_nodes_spare",
                 "Nodes that can be removed, by the last answer to a what-if with `search.couldGo` and "
                 "`refreshSeconds`. Absent while it is refused, and after its deletion.",
                 {"namespace", "name"});
  for (const auto& [ns, name, numbers] : all) {
    if (numbers.nodes_wanted) {
      wanted.add({ns, name}, *numbers.nodes_wanted);
      unplaced.add({ns, name}, numbers.unplaced);
    }
    if (numbers.nodes_spare) spare.add({ns, name}, *numbers.nodes_spare);
  }
}

}  // namespace podium::controller
