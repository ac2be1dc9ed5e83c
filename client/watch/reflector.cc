#include "client/watch/reflector.h"

#include <atomic>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "async/attachment.h"
#include "async/nap.h"
#include "async/timer.h"
#include "base/clock.h"
#include "client/auth/url.h"
#include "client/decode/list_page.h"
#include "client/decode/watch_lines.h"
#include "client/discovery.h"
#include "client/request_info.h"
#include "client/watch/change_batch.h"
#include "client/watch/reflector_state.h"
#include "log/limit.h"
#include "log/log.h"

namespace podium::client {
namespace asio = boost::asio;
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kStatusBytes = 65'536;    // of a refusal's body
constexpr std::size_t kEmptyBytes = 64 * 1024;  // of empty lines in a row in a watch
constexpr auto kListTimeout = 60s, kProbeTimeout = 10s;
constexpr auto kDiscoveryInterval = 30s;  // while the resource is not served

}  // namespace

struct Reflector::Impl {
  Impl(Api& api, ReflectorOptions given, ReflectorHandler& handler)
      : options(std::move(given)),
        handler(handler),
        transport(api.transport()),
        clock(api.clock()),
        state({options.streaming_list, options.initial_events, 12 * options.initial_events, options.backoff,
               options.backoff_max, options.relist},
              api.random()),
        path(options.resource.path(options.ns)),
        changes(options.resource.plural, handler) {
    if (!options.label_selector.empty())
      selectors += "&labelSelector=" + percent_encode(options.label_selector);
    if (!options.field_selector.empty())
      selectors += "&fieldSelector=" + percent_encode(options.field_selector);
  }

  static Task<void> run(std::shared_ptr<Impl> self);
  // loop() and its steps; all on the strand.
  static Task<void> loop(std::shared_ptr<Impl> self);
  static void wait_until_settled(const std::shared_ptr<Impl>& self);
  Task<void> open(ReflectorState::Action action);
  Task<void> refuse(std::unique_ptr<Stream> refusal);
  Task<void> read();
  void begin_list(bool replace);
  Task<void> list(ReflectorState::Action action);
  Task<void> probe();
  Task<void> wait(std::chrono::milliseconds delay);
  Task<void> ask_if_served();
  Task<Result<std::string>> fetch(std::string query, std::chrono::milliseconds timeout);

  void end_empty_watch();
  void take_piece(std::string_view piece);
  bool take_line(std::string_view line);
  bool take_bookmark(const WatchEvent& event);
  Result<std::string> take_page(std::string_view body, std::string& version);
  void complete_list();
  void fail(const Error& error);
  Error no_progress();
  void report_readiness();

  const ReflectorOptions options;
  ReflectorHandler& handler;
  Transport& transport;
  Clock& clock;
  ReflectorState state;
  const std::string path;
  ChangeBatch changes;
  std::string selectors;
  std::string asked;  // the last request, for messages

  std::unique_ptr<Stream> stream;
  LineSplitter lines;
  std::size_t empty_bytes = 0;        // of empty lines since the last event
  std::optional<Steady> empty_since;  // only empty lines have arrived since
  LogLimit log;
  std::optional<async::Timer> settling;  // while a watch is open and the kind still counts as failing
  bool synced = false;
  std::optional<int> reported;  // the outage that was reported to the handler
  bool absent = false;          // discovery has confirmed the present outage
  Error last_error;

  std::atomic<bool> stopped{false};
  async::Attachment attachment;
  std::atomic<std::uint64_t> lists{0}, watches{0}, errors{0};
};

Task<void> Reflector::Impl::loop(std::shared_ptr<Impl> self) {
  using Kind = ReflectorState::Action::Kind;
  co_await asio::this_coro::throw_if_cancelled(false);
  while (!self->stopped) {
    if (self->absent) {
      co_await async::nap(kDiscoveryInterval);
      if (!self->stopped) co_await self->ask_if_served();
      continue;
    }
    const auto action = self->state.next(self->clock.now());
    if (action.kind != Kind::read) {
      self->settling.reset();
      self->stream.reset();
    }
    switch (action.kind) {
      case Kind::stream_list:
      case Kind::watch:
        co_await self->open(action);
        if (self->stream && self->state.failing()) wait_until_settled(self);
        break;
      case Kind::list:
        co_await self->list(action);
        break;
      case Kind::probe:
        co_await self->probe();
        break;
      case Kind::read:
        co_await self->read();
        break;
      case Kind::wait:
        co_await self->wait(action.delay);
        break;
    }
    if (!self->stopped) self->report_readiness();
    if (!self->stopped && self->options.optional && self->reported == 404 && !self->absent)
      co_await self->ask_if_served();
  }
  self->stream.reset();
}

void Reflector::Impl::wait_until_settled(const std::shared_ptr<Impl>& self) {
  self->settling->expires_after(self->options.settle);
  self->settling->async_wait([weak = std::weak_ptr(self)](boost::system::error_code error) {
    const auto held = weak.lock();
    if (error || !held || held->stopped || !held->settling) return;
    held->state.settled();
    held->report_readiness();
  });
}

Task<void> Reflector::Impl::open(ReflectorState::Action action) {
  const bool listing = action.kind == ReflectorState::Action::Kind::stream_list;
  Request request;
  request.target = fmt::format("{}?watch=true&allowWatchBookmarks=true&timeoutSeconds={}{}{}", path,
                               action.timeout_seconds,
                               listing ? "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
                                       : "&resourceVersion=" + percent_encode(action.resource_version),
                               selectors);
  request.timeout = listing ? options.initial_events : options.silence;
  asked = path + "?watch=true";
  auto opened = co_await transport.open(std::move(request));
  if (stopped) co_return;
  if (!opened) {
    fail(opened.error());
    co_return;
  }
  if ((*opened)->status() != 200) {
    co_await refuse(std::move(*opened));
    co_return;
  }
  ++watches;
  stream = std::move(*opened);
  const auto executor = co_await asio::this_coro::executor;
  if (state.failing()) settling.emplace(executor);
  lines = LineSplitter();
  empty_bytes = 0;
  empty_since.reset();
  if (listing) begin_list(action.replace);
  state.opened(clock.now());
}

// The server answered a watch with a Status: reads its reason.
Task<void> Reflector::Impl::refuse(std::unique_ptr<Stream> refusal) {
  std::string body;
  while (body.size() < kStatusBytes) {
    auto piece = co_await refusal->read(kProbeTimeout);
    if (!piece || piece->empty()) break;
    body += *piece;
  }
  if (!stopped) fail(status_error(body, refusal->status()));
}

Task<void> Reflector::Impl::read() {
  auto silence = options.silence;
  if (const auto deadline = state.list_deadline()) {
    silence = std::chrono::duration_cast<std::chrono::milliseconds>(*deadline - clock.now());
  }
  if (silence.count() <= 0) {
    state.silent();
    co_return;
  }
  // Empty lines break the silence of the wire, not the watch's.
  if (empty_since) {
    silence -= std::chrono::duration_cast<std::chrono::milliseconds>(clock.now() - *empty_since);
    silence = std::max(silence, 1ms);
  }
  auto piece = co_await stream->read(silence);
  if (stopped) co_return;
  if (piece && !piece->empty()) {
    take_piece(*piece);
    const bool waited = empty_since && clock.now() - *empty_since >= options.silence;
    if (waited || empty_bytes > kEmptyBytes) end_empty_watch();
  } else if (!piece && piece.error().kind == Error::Kind::timeout) {
    log::debug("reflector: silent watch resource={}", options.resource.plural);
    state.silent();
  } else {
    if (!piece) ++errors;
    state.ended(clock.now());
  }
}

void Reflector::Impl::end_empty_watch() {
  if (log.allows("empty lines", clock.now()))
    log::warn("reflector: watch sends only empty lines, closing it resource={}", options.resource.plural);
  state.ended(clock.now());
}

void Reflector::Impl::take_piece(std::string_view piece) {
  const bool is_empty = piece.find_first_not_of("\r\n") == std::string_view::npos;
  if (is_empty) {
    empty_bytes += piece.size();
    if (!empty_since) empty_since = clock.now();
  }
  lines.feed(piece, [this](std::string_view line) {
    empty_bytes = 0;
    empty_since.reset();
    const bool is_usable = take_line(line);
    changes.release_if_full();
    return is_usable;
  });
  changes.release();
}

// False: the stream is unusable.
bool Reflector::Impl::take_line(std::string_view line) {
  auto event = changes.parse_event(line);
  if (!event) {
    fail(event.error());
    return false;
  }
  switch (event->type) {
    case WatchEvent::Type::added:
      state.added(clock.now());
      break;
    case WatchEvent::Type::modified:
    case WatchEvent::Type::deleted:
      break;
    case WatchEvent::Type::bookmark:
      return take_bookmark(*event);
    case WatchEvent::Type::error:
      fail(status_error(event->object, 0));
      return false;
  }
  changes.add_event(*event);
  state.event(event->resource_version);
  return true;
}

bool Reflector::Impl::take_bookmark(const WatchEvent& event) {
  switch (state.bookmark(event.resource_version, event.initial_events_end, clock.now())) {
    case ReflectorState::Bookmark::progress:
      return true;
    case ReflectorState::Bookmark::listed:
      complete_list();
      return true;
    case ReflectorState::Bookmark::regressed:
      if (log.allows("went back", clock.now())) {
        log::warn("reflector: resourceVersion went back, relisting resource={} known={} server={}",
                  options.resource.plural, state.resource_version(), event.resource_version);
      }
      return false;
  }
  return false;
}

void Reflector::Impl::begin_list(bool replace) {
  if (replace) handler.versions_restarted();
  changes.begin_list(replace);
}

Task<void> Reflector::Impl::list(ReflectorState::Action action) {
  begin_list(action.replace);
  std::string token, version;
  PageProgress progress;
  do {
    auto query = (action.limit > 0 ? fmt::format("limit={}", action.limit) : "") + selectors;
    if (!token.empty()) query += "&continue=" + percent_encode(token);
    const auto body = co_await fetch(std::move(query), kListTimeout);
    if (stopped) co_return;
    const auto had = changes.listed();
    auto next = body ? take_page(*body, version) : std::unexpected(body.error());
    if (!next) {
      fail(next.error());
      co_return;
    }
    if (!progress.add(*next, changes.listed() > had)) {
      fail(no_progress());
      co_return;
    }
    token = std::move(*next);
  } while (!token.empty());
  if (state.listed(version, clock.now())) {
    complete_list();
  } else if (log.allows("older", clock.now())) {
    log::warn("reflector: list is older than the known state, relisting resource={} known={} server={}",
              options.resource.plural, state.resource_version(), version);
  }
}

Error Reflector::Impl::no_progress() {
  if (log.allows("no progress", clock.now()))
    log::warn("reflector: list does not end, retrying resource={} objects={}", options.resource.plural,
              changes.listed());
  return PageProgress::error();
}

// The body of one GET of the resource's path. Any status but 200 is an error.
Task<Result<std::string>> Reflector::Impl::fetch(std::string query, std::chrono::milliseconds timeout) {
  Request request;
  asked = path;
  request.target = path + "?" + query;
  request.timeout = timeout;
  auto response = co_await transport.send(std::move(request));
  if (!response) co_return std::unexpected(std::move(response.error()));
  if (response->status == 200) co_return Result<std::string>(std::move(response->body));
  auto error = status_error(response->body, response->status);
  error.status.retry_after = std::max(error.status.retry_after, response->retry_after);
  co_return std::unexpected(std::move(error));
}

// Dispatches a page's items; returns the continue token of the next page.
Result<std::string> Reflector::Impl::take_page(std::string_view body, std::string& version) {
  auto page = split_list(body);
  if (!page) return std::unexpected(page.error());
  version = page->resource_version;
  state.event(version);
  for (const auto text : page->items) {
    changes.add_item(text);
    changes.release_if_full();
  }
  changes.release();
  return std::move(page->token);
}

Task<void> Reflector::Impl::probe() {
  const auto body = co_await fetch("limit=1", kProbeTimeout);
  if (stopped) co_return;
  if (!body) {
    fail(body.error());
    co_return;
  }
  const auto page = split_list(*body);
  const std::string version = page ? page->resource_version : "";
  state.probed(version, clock.now());
}

// Asked after each request that failed with a 404, until discovery confirms it. Then it is asked from time to
// time instead of such requests.
Task<void> Reflector::Impl::ask_if_served() {
  const auto served = co_await ask_discovery(transport, options.resource);
  if (stopped || served == Served::unknown) co_return;
  const bool was_absent = std::exchange(absent, served == Served::no);
  if (absent && !was_absent) handler.not_served();
}

Task<void> Reflector::Impl::wait(std::chrono::milliseconds delay) {
  co_await async::nap(delay);
  state.waited();
}

void Reflector::Impl::complete_list() {
  changes.end_list(state.resource_version());
  ++lists;
  log::debug("reflector: listed resource={} objects={} resourceVersion={}", options.resource.plural,
             changes.size(), state.resource_version());
  handler.listed(state.resource_version());
  if (std::exchange(synced, true)) return;
  handler.synced();
}

void Reflector::Impl::fail(const Error& error) {
  ++errors;
  last_error = error;
  last_error.request = request_info("GET", asked);
  last_error.request.line = "GET " + asked;
  log::debug("reflector: request failed resource={} code={} reason={} error={:?}", options.resource.plural,
             error.status.code, error.status.reason, error.message);
  state.failed(error, clock.now());
}

void Reflector::Impl::report_readiness() {
  if (state.outage() == reported) return;
  reported = state.outage();
  absent = false;
  if (reported) {
    log::debug("reflector: unavailable resource={} code={} error={:?}", options.resource.plural,
               last_error.status.code, last_error.text());
    handler.unavailable(last_error);
  } else {
    log::debug("reflector: available resource={}", options.resource.plural);
    handler.available();
  }
}

Task<void> Reflector::Impl::run(std::shared_ptr<Impl> self) {
  asio::any_io_executor executor = co_await asio::this_coro::executor;
  const auto strand = asio::make_strand(executor);
  const async::Attachment::Scope scope(self->attachment, strand, [self] {
    self->settling.reset();
    self->stream.reset();
  });
  co_await asio::co_spawn(strand, loop(self),
                          asio::bind_cancellation_slot(self->attachment.slot(), asio::use_awaitable));
}

Reflector::Reflector(Api& api, ReflectorOptions options, ReflectorHandler& handler)
    : impl_(std::make_shared<Impl>(api, std::move(options), handler)) {}

Reflector::~Reflector() { stop(); }

Task<void> Reflector::run() { return Impl::run(impl_); }

void Reflector::stop() {
  if (impl_->stopped.exchange(true)) return;
  impl_->attachment.post([self = impl_] { self->attachment.cancel(); });
}

ReflectorCounts Reflector::counts() const {
  const auto of_changes = impl_->changes.counts();
  return {impl_->lists, impl_->watches, of_changes.changes, impl_->errors + of_changes.rejected,
          of_changes.unreadable};
}

}  // namespace podium::client
