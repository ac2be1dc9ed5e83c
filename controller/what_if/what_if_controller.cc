#include "controller/what_if/what_if_controller.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "async/nap.h"
#include "async/timer.h"
#include "base/log_limit.h"
#include "client/auth/url.h"
#include "client/request_info.h"
#include "client/watch/reflector.h"
#include "controller/report/ttl.h"
#include "controller/what_if/admission_reader.h"
#include "controller/what_if/answer.h"
#include "controller/what_if/answer_patch.h"
#include "controller/what_if/asked.h"
#include "controller/what_if/queues.h"
#include "controller/what_if/refreshes.h"

namespace podium::controller {
namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;
using client::Task;

constexpr int kPage = 20;  // reports per page of a list
constexpr std::chrono::milliseconds kListPause = 250ms, kLongestListPause = 60s;

constexpr std::chrono::seconds kUnchanged = 60s;  // the same answer is written once in this time
constexpr Refreshes::Limits kRefreshed{.all = 100, .per_namespace = 10};

std::string object_key(std::string_view ns, std::string_view name) { return fmt::format("{}/{}", ns, name); }

std::uint32_t size_of(std::size_t bytes) { return static_cast<std::uint32_t>(std::min(bytes, kObjectBytes)); }

template <typename Item>
void put_off(Item& item, const Error& error) {
  item.outcome = outcome_of_failure(error);
  item.at_least = std::chrono::seconds(error.retry_after);
}

}  // namespace

struct WhatIfController::Impl final : client::ReflectorHandler {
  using Questions = WhatIfQuestions;
  using Answers = WhatIfAnswers;

  Impl(client::Api& api, Retention& retention, const config::Config& config, async::Gate& gate,
       asio::any_io_executor io, asio::any_io_executor workers, Fork fork, Ended ended)
      : api(api),
        retention(retention),
        config(config),
        gate(gate),
        io(io),
        ended(std::move(ended)),
        reader(api),
        asker(config, api.clock(), std::move(workers), std::move(fork),
              [this](std::shared_ptr<const Question> question) { return reader.read(std::move(question)); }),
        questions(options_for_questions(config.podium.what_if), api.clock(), api.random(), gate, io,
                  [this](std::vector<Questions::Item>& batch) { return respond(&batch.front()); }),
        answers(options_for_answers(), api.clock(), api.random(), gate, io,
                [this](std::vector<Answers::Item>& batch) { return write(&batch.front()); }),
        reflector(api,
                  {.resource = client::resource::scheduling_reports, .field_selector = "spec.dryRun=true"},
                  *this) {}

  void changed(std::span<const client::Change> changes) override {
    for (const auto& change : changes) {
      const Seen seen(change.object.view());
      const auto key = object_key(seen.asked.ns, seen.asked.name);
      if (change.type == client::Change::Type::deleted) {
        questions.forget(key);
        // An answer that waits may be to the next of its name. One to a report that is gone is refused.
        refreshes.drop(key);
        retention.forget(seen.asked.ns, seen.asked.name, seen.asked.uid);
        continue;
      }
      const bool ours = is_ours(seen.scheduler_name);
      if (seen.is_complete()) watch_turns(seen, key, ours);
      if (ours && !seen.is_answered()) offer(seen.asked);
    }
  }
  void synced() override {}
  // Without the CRD there are none; the CRD's own check tells.
  void unavailable(const Error& error) override {
    if (error.code == 404) return;
    spdlog::warn("cannot list or watch what-ifs {}code={} error={:?}", client::request_fields(error),
                 error.code, error.message);
  }

  // Of several podiums, the one that has the profile answers.
  bool is_ours(std::string_view scheduler_name) const {
    return scheduler_name.empty() || config.profile(scheduler_name) != nullptr;
  }

  bool stopping() const { return stopped.load(std::memory_order_relaxed) || gate.closed(); }

  // --- queueing ---

  // Queues the question. If the queue is full, queues its refusal; if that fails too, starts listing.
  void offer(const Asked& asked) {
    const auto key = object_key(asked.ns, asked.name);
    // If the queued answer is for an older spec, the reply to its patch tells, and comes back here.
    if (answers.contains(key)) return;
    if (questions.push(asked.ns, key, {asked.name}, kNew) != Questions::Pushed::refused) return;
    if (answers.counts().waiting < kAnswers / 2 && refuse(asked, key)) return;
    if (stopping() || std::exchange(overflowed, true) || listing) return;
    spdlog::warn("what-if queue is full, listing what-ifs until all are answered namespace={}", asked.ns);
    listing = async::spawn(gate, io, "list what-ifs", list_until_answered());
  }

  bool refuse(const Asked& asked, const std::string& key) {
    if (!asked.is_complete()) return false;
    const auto& what_if = config.podium.what_if;
    auto status =
        declined(kTooManyQuestions,
                 fmt::format("too many what-ifs wait to be answered (at most {} in a namespace, {} in all); "
                             "ask again later, by another change of the spec or in another what-if",
                             what_if.max_waiting_per_namespace, what_if.max_waiting));
    const AnswerTerms terms{.ttl = config.podium.reports.ttl, .refresh = 0s, .asked_at = api.clock().now()};
    auto answer = make_patch(asked, std::move(status), api.clock().wall(), terms);
    answer.made = api.clock().now();
    return answers.push(asked.ns, key, std::move(answer), kRefusal) != Answers::Pushed::refused;
  }

  Task<void> list_until_answered() {
    for (auto pause = kListPause; overflowed && !stopping(); pause = std::min(2 * pause, kLongestListPause)) {
      co_await async::nap(pause);
      overflowed = false;
      const auto listed = co_await list();
      if (!listed) {
        overflowed = true;
        spdlog::warn("cannot list what-ifs {}error={:?}", client::request_fields(listed.error()),
                     listed.error().message);
      }
    }
    listing = false;
  }

  // Lists all what-ifs and offers every unanswered one.
  Task<Result<void>> list() {
    const auto first = fmt::format("{}?limit={}&fieldSelector=spec.dryRun%3Dtrue",
                                   client::resource::scheduling_reports.path(""), kPage);
    std::string token;
    const auto each = [this](std::string_view item) {
      const auto report = scan_report(item);
      if (report && report->is_what_if && !report->is_answered() && is_ours(report->scheduler_name))
        offer(asked_of(*report));
    };
    const std::function<void(std::string_view)> offer_each(each);
    do {
      auto path = token.empty() ? first : first + "&continue=" + client::percent_encode(token);
      const auto page = co_await api.get_text(std::move(path), one_try());
      if (!page) co_return std::unexpected(page.error());
      const auto next = scan_list(*page, offer_each);
      if (!next) co_return std::unexpected(next.error());
      token = *next;
    } while (!token.empty());
    co_return Result<void>();
  }

  static client::CallOptions one_try() {
    client::CallOptions options;
    options.deadline = kAnswerTimeout;
    options.retry = false;
    return options;
  }

  // --- asking again ---

  // Keeps the turns of what is watched: an answered what-if has one, also where another process answered it;
  // one that was edited gets its next with its answer.
  void watch_turns(const Seen& seen, const std::string& key, bool ours) {
    if (!ours || seen.refresh == 0s) return refreshes.drop(key);
    if (!seen.is_answered()) return refreshes.no_turn(key);
    if (is_under_way(key) || refreshes.has_turn(key)) return;
    // A refusal stays until the spec changes: otherwise what-ifs would take each other's places in turn.
    const auto* accepted = seen.asked.before.condition("Accepted");
    if (accepted && accepted->reason == kTooManyRefreshed) return;
    if (!refreshes.place(seen.asked.ns, seen.asked.name, key, seen.refresh)) {
      questions.push(seen.asked.ns, key, {seen.asked.name, true}, kAgain);  // is refused then
      return;
    }
    const auto age = seen.decided_at ? seconds_between(*seen.decided_at, api.clock().wall()) : 0s;
    const auto left = std::clamp<std::chrono::seconds>(seen.refresh - age, 0s, seen.refresh);
    refreshes.set_turn(key, api.clock().now() + left);
    mind_turns();
  }

  bool is_under_way(const std::string& key) const { return questions.holds(key) || answers.holds(key); }

  void end_turn(const std::string& key) {
    refreshes.next_turn(key, api.clock().now());
    mind_turns();
  }

  void mind_turns() {
    if (stopping() || !refreshes.next()) return;
    if (sleeper) {
      sleeper->cancel();
    } else {
      sleeper = std::make_shared<async::Timer>(io);
      if (!async::spawn(gate, io, "ask what-ifs again", take_turns(sleeper))) sleeper.reset();
    }
  }

  Task<void> take_turns(std::shared_ptr<async::Timer> timer) {
    for (auto next = refreshes.next(); next && !stopping(); next = refreshes.next()) {
      const auto now = api.clock().now();
      if (*next > now) {
        timer->expires_after(*next - now);
        boost::system::error_code ignored;
        co_await timer->async_wait(asio::redirect_error(asio::use_awaitable, ignored));
        continue;
      }
      for (auto& turn : refreshes.take_due(now)) {
        // What is under way gets its next turn when it ends.
        if (is_under_way(turn.key)) continue;
        const auto pushed = questions.push(turn.ns, turn.key, {turn.name, true}, kAgain);
        if (pushed == Questions::Pushed::refused) refreshes.next_turn(turn.key, now);
      }
    }
    sleeper.reset();
  }

  // --- answering a question ---

  Task<void> respond(Questions::Item* item) {
    if (stopping()) co_return;
    auto read = co_await read_asked(item);
    if (!read) {
      if (item->outcome == Outcome::done) end_turn(item->key);
      co_return;
    }
    auto& [asked, question, terms, bytes, again] = *read;
    if (question && !again && question->ttl >= kKept &&
        !retention.may_keep(asked.ns, asked.name, size_of(bytes))) {
      question = invalid("spec.ttlSeconds: too many what-ifs with 0 are there; give this one a TTL");
      terms = of_wrong_spec(item);
    }
    std::optional<AnswerPatch> answer;
    if (!terms.refreshed()) {
      refreshes.drop(item->key);
      const auto* accepted = asked.before.condition("Accepted");
      if (again && accepted && !accepted->is_true) co_return;  // its spec is wrong, as the status says
    } else if (!refreshes.place(item->ns, asked.name, item->key, terms.refresh)) {
      answer = make_patch(asked, too_many_refreshed(), api.clock().wall(), of_wrong_spec(item));
    }
    if (!answer && !question)
      answer = make_patch(asked, refusal(question.error().message), api.clock().wall(), terms);
    if (!answer) {
      auto asking = ask(std::make_shared<const Question>(std::move(*question)), asked, terms);
      answer = co_await std::move(asking);
    }
    if (stopping()) co_return;
    answer->bytes = bytes;
    answer->made = api.clock().now();
    refreshes.answered(item->key, answer->fitting);
    const auto most = std::min<Steady::duration>(kUnchanged, terms.ttl / 2);
    if (again && !refreshes.is_news(item->key, answer->content, api.clock().now(), most)) {
      end_turn(item->key);
      co_return;
    }
    const auto pushed = answers.push(item->ns, item->key, std::move(*answer), kAnswer);
    if (pushed == Answers::Pushed::refused) item->outcome = Outcome::retry_namespace;
  }

  static ReportStatus too_many_refreshed() {
    return declined(
        kTooManyRefreshed,
        fmt::format("spec.refreshSeconds: too many what-ifs are asked again and again (at most {} in "
                    "a namespace, {} in all); try again later, by another change of the spec",
                    kRefreshed.per_namespace, kRefreshed.all));
  }

  struct Read {
    Asked asked;
    Result<Question> question;
    AnswerTerms terms;
    std::size_t bytes;  // of the report
    bool again;         // its spec is answered already
  };

  // A refusal is not kept for as long as the object is there.
  AnswerTerms of_wrong_spec(const Questions::Item* item) const {
    return {.ttl = config.podium.reports.ttl, .refresh = 0s, .asked_at = item->since};
  }

  // nullopt: there is nothing to answer, or reading failed and the item's outcome asks for a retry.
  Task<std::optional<Read>> read_asked(Questions::Item* item) {
    auto path = client::resource::scheduling_reports.path(item->ns, item->value.name);
    const auto text = co_await api.get_text(std::move(path), one_try());
    if (!text) {
      put_off(*item, text.error());
      if (item->outcome != Outcome::retry) log_failure("read", item->key, text.error());
      co_return std::nullopt;
    }
    const auto report = scan_report(*text);
    if (!report) {
      put_off(*item, report.error());
      co_return std::nullopt;
    }
    const bool again = report->is_answered();
    if (!report->is_what_if || (again && !item->value.again) || !is_ours(report->scheduler_name))
      co_return std::nullopt;
    Read read{asked_of(*report), read_question(*report, config.podium.reports.ttl), of_wrong_spec(item),
              text->size(), again};
    if (read.question && read.question->refresh > 0s) {
      read.terms.ttl = read.question->ttl;
      read.terms.refresh = read.question->refresh;
    }
    if (read.question) read.question->withholds_node_names = config.podium.withhold_node_names;
    if (read.question && !read.question->subject) {
      const bool known = co_await read_reference(item, &read.question);
      if (!known) co_return std::nullopt;
    }
    co_return std::optional<Read>(std::move(read));
  }

  // Reads the pod or workload from the API server: the snapshot lacks pending pods and pod templates. False:
  // reading failed; the item is retried.
  Task<bool> read_reference(Questions::Item* item, Result<Question>* question) {
    const auto& asked = **question;
    const bool is_pod = asked.about == Question::About::pod;
    const auto kind = is_pod ? Subject::Kind::pod : asked.workload_kind;
    const auto& name = is_pod ? asked.pod_name : asked.workload_name;
    const auto resource = resource_of(kind);
    auto path = fmt::format("/{}/namespaces/{}/{}/{}", resource.group, item->ns, resource.plural,
                            client::percent_encode(name));
    const auto text = co_await api.get_text(std::move(path), one_try());
    // A 404 without a reason comes from a proxy, not from the API server.
    if (!text && text.error().reason != "NotFound") {
      put_off(*item, text.error());
      if (item->outcome != Outcome::retry) log_failure(is_pod ? "pod" : "workload", item->key, text.error());
      co_return false;
    }
    const auto read = text ? read_subject(*text, **question)
                           : invalid(fmt::format("{}.name: {} {} not found", subject_path(asked),
                                                 is_pod ? "pod" : to_string(kind), name));
    if (!read) *question = std::unexpected(read.error());
    co_return true;
  }

  // The answer's text is made on the worker, too: it may be long.
  Task<AnswerPatch> ask(std::shared_ptr<const Question> question, Asked asked, AnswerTerms terms) {
    terms.ttl = question->ttl;
    const std::function<AnswerPatch(ReportStatus)> finish = [asked, terms](ReportStatus status) {
      const auto decided_at = *status.decided_at;
      return make_patch(asked, std::move(status), decided_at, terms);
    };
    co_return co_await asker.ask<AnswerPatch>(question, finish);
  }

  // --- writing an answer ---

  Task<void> write(Answers::Item* item) {
    auto requests = patch_requests(item->ns, item->value);
    const auto replies = co_await api.send_all(std::move(requests));
    const auto& reply = replies.back();
    if (!reply) {
      if (client::object_is_gone(reply.error())) co_return;
      put_off(*item, reply.error());
      if (reply.error().code == 422) co_await make_way(item);
      if (item->outcome == Outcome::done || item->outcome == Outcome::retry) co_return;
      log_failure("answer", item->key, reply.error());
      co_return;
    }
    const auto& labelled = replies.front();
    if (!labelled) {
      const auto& error = labelled.error();
      if (!goes_without_labels(error)) {
        put_off(*item, error);
        if (item->outcome != Outcome::retry) log_failure("labels", item->key, error);
        co_return;
      }
      if (log.allows(fmt::format("labels {}", error.code), api.clock().now()))
        spdlog::warn("labels of what-ifs are not written {}error={:?}", client::request_fields(error),
                     error.message);
    }
    const auto stored = client::parse_api_json(*reply, {});
    written(*item, stored ? text_at(*stored, "/metadata/resourceVersion") : "");
    if (!stored) co_return;
    // Its spec was edited while the answer waited. Where an earlier try was carried out and its reply was
    // lost, this one changes nothing, and no watch tells of it. The reply has the metadata only.
    const Seen seen(*stored);
    if (seen.asked.generation > item->value.generation) offer(seen.asked);
  }

  // Where another what-if has the name, or its spec was edited, drops the answer and asks anew. The watch
  // event found the answer waiting.
  Task<void> make_way(Answers::Item* item) {
    auto path = client::resource::scheduling_reports.path(item->ns, item->value.name);
    const auto text = co_await api.get_text(std::move(path), one_try());
    if (!text) co_return;
    const auto report = scan_report(*text);
    const auto& answer = item->value;
    if (!report || (report->uid == answer.uid && report->generation == answer.generation)) co_return;
    const auto pushed = questions.push(item->ns, item->key, {item->value.name}, kNew);
    if (pushed != Questions::Pushed::refused) item->outcome = Outcome::done;
  }

  void written(const Answers::Item& item, std::string version) {
    const auto& answer = item.value;
    const ReportFacts facts{.bytes = size_of(answer.bytes + answer.patch.size()),
                            .version = std::move(version)};
    // It may have waited, and the wall clock may have been set meanwhile.
    const auto waited = std::chrono::floor<std::chrono::seconds>(api.clock().now() - answer.made);
    const auto ttl = answer.ttl >= kKept ? kKept : std::max(answer.ttl - waited, 0s);
    retention.track(item.ns, answer.name, answer.uid, ttl, ReportKind::question, std::nullopt, facts);
    answered.fetch_add(1, std::memory_order_relaxed);
    refreshes.written(item.key, answer.content, api.clock().now());
    end_turn(item.key);
    if (ended) tell_end(answer);
  }

  void tell_end(const AnswerPatch& answer) const {
    WhatIfEnd end;
    end.result = answer.result;
    end.refused = answer.refused;
    end.duration = api.clock().now() - answer.asked_at;
    ended(end);
  }

  // A missing right, or an API server that is away, stops all what-ifs: one line a minute.
  void log_failure(const char* what, const std::string& key, const Error& error) {
    const auto fields = client::request_fields(error);
    if (!log.allows(fmt::format("{} {} {}", what, fields, error.code), api.clock().now())) return;
    spdlog::warn("what-if not answered yet {}report={} error={:?}", fields, key, error.message);
  }

  client::Api& api;
  Retention& retention;
  const config::Config& config;
  async::Gate& gate;
  const asio::any_io_executor io;
  const Ended ended;
  AdmissionReader reader;
  Asker asker;
  LogLimit log;
  std::atomic<bool> stopped{false};
  std::atomic<std::uint64_t> answered{0};
  Questions questions;
  Answers answers;
  Refreshes refreshes{kRefreshed};
  std::shared_ptr<async::Timer> sleeper;  // of take_turns(), while it runs
  bool overflowed = false;                // a question was dropped from both queues
  bool listing = false;                   // list_until_answered() runs
  client::Reflector reflector;
};

WhatIfController::WhatIfController(client::Api& api, Retention& retention, const config::Config& config,
                                   async::Gate& gate, asio::any_io_executor io, asio::any_io_executor workers,
                                   Fork fork, Ended ended)
    : impl_(std::make_unique<Impl>(api, retention, config, gate, std::move(io), std::move(workers),
                                   std::move(fork), std::move(ended))) {}

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
std::vector<Refreshes::Fitting> WhatIfController::fitting() const { return impl_->refreshes.fitting(); }
std::uint64_t WhatIfController::answered() const { return impl_->answered.load(std::memory_order_relaxed); }

}  // namespace podium::controller
