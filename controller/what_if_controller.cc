#include "controller/what_if_controller.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "async/nap.h"
#include "async/on.h"
#include "async/writers.h"
#include "client/auth/url.h"
#include "client/watch/reflector.h"
#include "controller/what_if.h"

namespace podium::controller {
namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;
namespace json = boost::json;
using client::Task;

constexpr std::size_t kAnswers = 1024, kAnswersPerNamespace = 32;  // queue capacities
constexpr unsigned kWriters = 4;
constexpr std::chrono::milliseconds kTimeout = 10s;  // per request
constexpr int kPage = 20;                            // reports per page of a list
constexpr std::chrono::milliseconds kListPause = 250ms, kLongestListPause = 60s;

// Answers go before TooManyQuestions refusals.
enum Lane : unsigned { kAnswer, kRefusal };

std::string object_key(std::string_view ns, std::string_view name) { return fmt::format("{}/{}", ns, name); }

// Identifies a report and the generation of its spec.
struct Asked {
  std::string ns, name, uid;
  std::int64_t generation = 0;
};

Asked asked_of(const ReportText& report) {
  return {std::string(report.ns), std::string(report.name), std::string(report.uid), report.generation};
}

// The fields of a watched report that decide whether it needs an answer. An oversized report may come
// with little more than its metadata.
struct Seen {
  explicit Seen(const json::value& report) {
    asked = {text(report, "/metadata/namespace"), text(report, "/metadata/name"),
             text(report, "/metadata/uid"), number(report, "/metadata/generation").value_or(0)};
    answered = number(report, "/status/observedGeneration");
  }
  bool is_answered() const { return answered == asked.generation; }

  Asked asked;
  std::optional<std::int64_t> answered;

 private:
  static const json::value* find(const json::value& report, std::string_view pointer) {
    boost::system::error_code none;
    return report.find_pointer(pointer, none);
  }
  static std::string text(const json::value& report, std::string_view pointer) {
    const auto* found = find(report, pointer);
    return found && found->is_string() ? std::string(found->get_string()) : std::string();
  }
  static std::optional<std::int64_t> number(const json::value& report, std::string_view pointer) {
    const auto* found = find(report, pointer);
    return found && found->is_int64() ? std::optional(found->get_int64()) : std::nullopt;
  }
};

// An answer in the queue. The patch carries the UID, so that a report recreated meanwhile is not touched.
struct Answer {
  std::string name, uid;
  Wall expires{};
  std::string patch;
};

Answer make_answer(const Asked& asked, ReportStatus status, Wall now, std::chrono::seconds ttl) {
  status.decided_at = now;
  status.expires_at = now + ttl;
  status.observed_generation = asked.generation;
  for (auto& condition : status.conditions) condition.since = now;
  const json::object patch{{"metadata", {{"uid", asked.uid}}}, {"status", to_json(status)}};
  return {asked.name, asked.uid, *status.expires_at, json::serialize(patch)};
}

client::Request patch_request(const std::string& ns, const Answer& answer) {
  client::Request request;
  request.method = "PATCH";
  request.target =
      client::resource::scheduling_reports.path(ns, answer.name, "status") + "?fieldManager=podium";
  request.content_type = "application/merge-patch+json";
  request.accept = client::kBriefReply;
  request.body = answer.patch;
  request.timeout = kTimeout;
  return request;
}

// What a failed request backs off: the item, its namespace, or everything.
Outcome outcome_of(const Error& error) {
  if (error.kind == Error::Kind::unavailable) return Outcome::retry_all;
  switch (error.code) {
    case 401:
    case 429:
    case 503:
      return Outcome::retry_all;
    case 400:
    case 404:  // the report is gone; the watch will deliver the delete
    case 409:
    case 413:
    case 422:
      return Outcome::retry;
    default:  // such as a policy or a webhook of the namespace
      return Outcome::retry_namespace;
  }
}

template <typename Item>
void put_off(Item& item, const Error& error) {
  item.outcome = outcome_of(error);
  item.at_least = std::chrono::seconds(error.retry_after);
}

std::chrono::nanoseconds cpu_time_of_thread() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

async::WritersOptions options_for_questions(const config::Podium::WhatIf& what_if) {
  async::WritersOptions options;
  options.name = "what-ifs";
  options.workers = static_cast<unsigned>(what_if.workers);
  options.queue.capacity = static_cast<std::size_t>(what_if.max_waiting);
  options.queue.per_namespace = static_cast<std::size_t>(what_if.max_waiting_per_namespace);
  options.queue.refuse_when_full = true;
  options.queue.of_namespace.first = 100ms;  // usually enough for some of its answers to be written
  return options;
}

async::WritersOptions options_for_answers() {
  async::WritersOptions options;
  options.name = "what-if answers";
  options.workers = kWriters;
  options.queue.capacity = kAnswers;
  options.queue.per_namespace = kAnswersPerNamespace;
  options.queue.refuse_when_full = true;
  return options;
}

}  // namespace

struct WhatIfController::Impl final : client::ReflectorHandler {
  using Questions = async::Writers<std::string>;  // names
  using Answers = async::Writers<Answer>;

  Impl(client::Api& api, Retention& retention, const config::Config& config, async::Gate& gate,
       asio::any_io_executor io, asio::any_io_executor workers, Fork fork)
      : api(api),
        retention(retention),
        config(config),
        gate(gate),
        io(io),
        workers(std::move(workers)),
        fork(std::move(fork)),
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
      if (change.type == client::Change::Type::deleted) {
        const auto key = object_key(seen.asked.ns, seen.asked.name);
        questions.forget(key);
        answers.forget(key);
        retention.forget(seen.asked.ns, seen.asked.name);
      } else if (!seen.is_answered()) {
        offer(seen.asked);
      }
    }
  }
  void synced() override {}

  bool stopping() const { return stopped.load(std::memory_order_relaxed) || gate.closed(); }

  // --- queueing ---

  // Queues the question. If the queue is full, queues its refusal; if that fails too, starts listing.
  void offer(const Asked& asked) {
    const auto key = object_key(asked.ns, asked.name);
    // If the queued answer is for an older spec, the watch event of its patch comes back here.
    if (answers.contains(key)) return;
    if (questions.push(asked.ns, key, asked.name) != Questions::Pushed::refused) return;
    if (answers.counts().waiting < kAnswers / 2 && refuse(asked, key)) return;
    if (stopping() || std::exchange(overflowed, true) || listing) return;
    spdlog::warn("what-if queue is full, listing what-ifs until all are answered namespace={}", asked.ns);
    listing = async::spawn(gate, io, "list what-ifs", list_until_answered());
  }

  bool refuse(const Asked& asked, const std::string& key) {
    if (asked.generation == 0) return false;  // the object could not be read completely
    const auto& what_if = config.podium.what_if;
    auto status =
        declined(kTooManyQuestions,
                 fmt::format("too many what-ifs wait to be answered (at most {} in a namespace, {} in all); "
                             "ask again later, by another change of the spec or in another what-if",
                             what_if.max_waiting_per_namespace, what_if.max_waiting));
    auto answer = make_answer(asked, std::move(status), api.clock().wall(), config.podium.reports.ttl);
    return answers.push(asked.ns, key, std::move(answer), kRefusal) != Answers::Pushed::refused;
  }

  Task<void> list_until_answered() {
    for (auto pause = kListPause; overflowed && !stopping(); pause = std::min(2 * pause, kLongestListPause)) {
      co_await async::nap(pause);
      overflowed = false;
      const auto listed = co_await list();
      if (!listed) {
        overflowed = true;
        spdlog::warn("cannot list what-ifs error=\"{}\"", listed.error().message);
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
      if (report && report->is_what_if && !report->is_answered()) offer(asked_of(*report));
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
    options.deadline = kTimeout;
    options.retry = false;
    return options;
  }

  // --- answering a question ---

  Task<void> respond(Questions::Item* item) {
    if (stopping()) co_return;
    auto read = co_await read_asked(item);
    if (!read) co_return;
    auto& [asked, question] = *read;
    const auto& ttl = config.podium.reports.ttl;
    std::optional<Answer> answer;
    if (!question) {
      answer = make_answer(asked, refusal(question.error().message), api.clock().wall(), ttl);
    } else {
      auto snapshot = co_await fork();
      auto evaluation = evaluate(std::make_shared<const Question>(std::move(*question)), std::move(snapshot));
      answer = co_await async::on(workers, std::move(evaluation));
    }
    if (stopping()) co_return;
    const auto pushed = answers.push(item->ns, item->key, std::move(*answer), kAnswer);
    if (pushed == Answers::Pushed::refused) item->outcome = Outcome::retry_namespace;
  }

  struct Read {
    Asked asked;
    Result<Question> question;
  };

  // nullopt: there is nothing to answer, or reading failed and the item's outcome asks for a retry.
  Task<std::optional<Read>> read_asked(Questions::Item* item) {
    auto path = client::resource::scheduling_reports.path(item->ns, item->value);
    const auto text = co_await api.get_text(std::move(path), one_try());
    if (!text) {
      put_off(*item, text.error());
      co_return std::nullopt;
    }
    const auto report = scan_report(*text);
    if (!report) {
      put_off(*item, report.error());
      co_return std::nullopt;
    }
    if (!report->is_what_if || report->is_answered()) co_return std::nullopt;
    Read read{asked_of(*report), read_question(*report, config.podium.reports.ttl)};
    if (read.question && !read.question->is_about_template()) {
      const bool known = co_await read_reference(item, &read.question);
      if (!known) co_return std::nullopt;
    }
    co_return std::optional<Read>(std::move(read));
  }

  // Reads the pod of spec.podRef from the API server, because the snapshot lacks pending pods. False:
  // reading failed; the item is retried.
  Task<bool> read_reference(Questions::Item* item, Result<Question>* question) {
    auto path = client::resource::pods.path(item->ns, (*question)->pod_name);
    const auto text = co_await api.get_text(std::move(path), one_try());
    // A 404 without a reason comes from a proxy, not from the API server.
    if (!text && text.error().reason != "NotFound") {
      put_off(*item, text.error());
      co_return false;
    }
    const auto read = text
                          ? read_pod(*text, **question)
                          : invalid(fmt::format("spec.podRef.name: pod {} not found", (*question)->pod_name));
    if (!read) *question = std::unexpected(read.error());
    co_return true;
  }

  // Runs on one worker thread from start to end, so that its CPU time can be measured.
  Task<Answer> evaluate(std::shared_ptr<const Question> question, cluster::Snapshot snapshot) {
    const auto decided_at = api.clock().wall();
    const auto began = api.clock().now();
    const auto deadline = cpu_time_of_thread() + config.podium.what_if.deadline;
    const Budget budget = [&] { return cpu_time_of_thread() < deadline && !stopping(); };
    ReportStatus status;
    if (const auto pod = admit_question(*question, snapshot, config)) {
      const auto* profile = config.profile((*pod)->scheduler_name);
      status = answer(**pod, question->replicas, std::move(snapshot), *profile, question->claims, budget);
    } else {
      status = refusal(pod.error().message);
    }
    status.evaluate = api.clock().now() - began;
    const auto& meta = question->meta;
    const Asked asked{meta.namespace_, meta.name, meta.uid, meta.generation};
    co_return make_answer(asked, std::move(status), decided_at, question->ttl);
  }

  // --- writing an answer ---

  Task<void> write(Answers::Item* item) {
    std::vector<client::Request> requests{patch_request(item->ns, item->value)};
    const auto replies = co_await api.send_all(std::move(requests));
    const auto& reply = replies.front();
    if (reply) {
      retention.track(item->ns, item->value.name, item->value.uid, item->value.expires);
      answered.fetch_add(1, std::memory_order_relaxed);
      co_return;
    }
    put_off(*item, reply.error());
    const bool is_first = item->tries == 0 && item->outcome != Outcome::retry;
    spdlog::log(is_first ? spdlog::level::warn : spdlog::level::debug,
                "what-if not answered yet report={} error=\"{}\"", item->key, reply.error().message);
  }

  client::Api& api;
  Retention& retention;
  const config::Config& config;
  async::Gate& gate;
  const asio::any_io_executor io, workers;
  const Fork fork;
  std::atomic<bool> stopped{false};
  std::atomic<std::uint64_t> answered{0};
  Questions questions;
  Answers answers;
  bool overflowed = false;  // a question was dropped from both queues
  bool listing = false;     // list_until_answered() runs
  client::Reflector reflector;
};

WhatIfController::WhatIfController(client::Api& api, Retention& retention, const config::Config& config,
                                   async::Gate& gate, asio::any_io_executor io, asio::any_io_executor workers,
                                   Fork fork)
    : impl_(std::make_unique<Impl>(api, retention, config, gate, std::move(io), std::move(workers),
                                   std::move(fork))) {}

WhatIfController::~WhatIfController() = default;

Task<void> WhatIfController::run() { return impl_->reflector.run(); }

void WhatIfController::stop() {
  impl_->stopped = true;
  impl_->reflector.stop();
}
std::uint64_t WhatIfController::answered() const { return impl_->answered.load(std::memory_order_relaxed); }

}  // namespace podium::controller
