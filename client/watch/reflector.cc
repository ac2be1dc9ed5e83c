#include "client/watch/reflector.h"

#include <atomic>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/text/parse_json.h"
#include "async/attachment.h"
#include "async/nap.h"
#include "async/timer.h"
#include "base/clock.h"
#include "client/auth/url.h"
#include "client/decode/list_page.h"
#include "client/decode/watch_lines.h"
#include "client/discovery.h"
#include "client/request_info.h"
#include "client/watch/known_objects.h"
#include "client/watch/reflector_state.h"
#include "log/limit.h"
#include "log/log.h"

namespace podium::client {
namespace asio = boost::asio;
namespace json = boost::json;
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kBatch = 256;            // changes per call of the handler
constexpr std::size_t kStatusBytes = 65'536;   // of a refusal's body
constexpr std::size_t kNamesLogged = 256;      // of objects that cannot be read
constexpr int kPagesInVain = 3;                // in a row, with no object that the list has not had before
constexpr std::size_t kVainBytes = 64 * 1024;  // of empty lines in a row in a watch
constexpr auto kListTimeout = 60s, kProbeTimeout = 10s;
constexpr auto kWhileAbsent = 30s;  // between questions to discovery, if the resource is not served

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
        path(options.resource.path(options.ns)) {
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
  Task<void> list(ReflectorState::Action action);
  Task<void> probe();
  Task<void> wait(std::chrono::milliseconds delay);
  Task<void> look_for_it();
  Task<Result<std::string>> fetch(std::string query, std::chrono::milliseconds timeout);

  void in_vain();
  void take_piece(std::string_view piece);
  bool take_line(std::string_view line);
  bool take_bookmark(const WatchEvent& event);
  Result<std::string> take_page(std::string_view body, std::string& version);
  void take_item(std::string_view text);
  // Counts and logs an unreadable object, by its outline, and adds its change to the batch.
  bool take_unreadable(json::value& outline, const std::string& problem);
  void complete_list();
  void flush();    // dispatches the batch
  void release();  // dispatches it and frees its memory: no value in it may be alive
  void fail(const Error& error);
  Error no_progress();
  void tell_readiness();

  const ReflectorOptions options;
  ReflectorHandler& handler;
  Transport& transport;
  Clock& clock;
  ReflectorState state;
  KnownObjects known;
  const std::string path;
  std::string selectors;
  std::string asked;  // the last request, for messages

  std::unique_ptr<Stream> stream;
  LineSplitter lines;
  std::size_t vain_bytes = 0;        // of empty lines since the last event
  std::optional<Steady> vain_since;  // nothing but empty lines has come
  // The current batch. Its values live in `memory`, which is freed after they were dispatched.
  Arena memory;
  std::vector<Change> batch;
  LogLimit log;
  std::set<std::string> logged;          // names of objects that cannot be read
  std::optional<async::Timer> settling;  // while a watch is open and the kind still counts as failing
  bool synced = false;
  std::optional<int> told;  // the outage that was reported to the handler
  bool absent = false;      // discovery has confirmed the present outage
  Error last_error;

  std::atomic<bool> stopped{false};
  async::Attachment attachment;
  std::atomic<std::uint64_t> lists{0}, watches{0}, changes{0}, errors{0}, unreadable{0};
};

Task<void> Reflector::Impl::loop(std::shared_ptr<Impl> self) {
  using Kind = ReflectorState::Action::Kind;
  co_await asio::this_coro::throw_if_cancelled(false);
  while (!self->stopped) {
    if (self->absent) {
      co_await async::nap(kWhileAbsent);
      if (!self->stopped) co_await self->look_for_it();
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
    if (!self->stopped) self->tell_readiness();
    if (!self->stopped && self->options.optional && self->told == 404 && !self->absent)
      co_await self->look_for_it();
  }
  self->stream.reset();
}

void Reflector::Impl::wait_until_settled(const std::shared_ptr<Impl>& self) {
  self->settling->expires_after(self->options.settle);
  self->settling->async_wait([weak = std::weak_ptr(self)](boost::system::error_code error) {
    const auto held = weak.lock();
    if (error || !held || held->stopped || !held->settling) return;
    held->state.settled();
    held->tell_readiness();
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
  vain_bytes = 0;
  vain_since.reset();
  if (listing) known.begin_list(action.replace);
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
  if (vain_since) {
    silence -= std::chrono::duration_cast<std::chrono::milliseconds>(clock.now() - *vain_since);
    silence = std::max(silence, 1ms);
  }
  auto piece = co_await stream->read(silence);
  if (stopped) co_return;
  if (piece && !piece->empty()) {
    take_piece(*piece);
    const bool waited = vain_since && clock.now() - *vain_since >= options.silence;
    if (waited || vain_bytes > kVainBytes) in_vain();
  } else if (!piece && piece.error().kind == Error::Kind::timeout) {
    log::debug("reflector: silent watch resource={}", options.resource.plural);
    state.silent();
  } else {
    if (!piece) ++errors;
    state.ended(clock.now());
  }
}

void Reflector::Impl::in_vain() {
  if (log.allows("empty lines", clock.now()))
    log::warn("reflector: a watch has nothing but empty lines resource={}", options.resource.plural);
  state.ended(clock.now());
}

void Reflector::Impl::take_piece(std::string_view piece) {
  const bool is_empty = piece.find_first_not_of("\r\n") == std::string_view::npos;
  if (is_empty) {
    vain_bytes += piece.size();
    if (!vain_since) vain_since = clock.now();
  }
  lines.feed(piece, [this](std::string_view line) {
    vain_bytes = 0;
    vain_since.reset();
    const bool on = take_line(line);
    if (batch.size() >= kBatch) release();
    return on;
  });
  release();
}

// False: the stream is unusable.
bool Reflector::Impl::take_line(std::string_view line) {
  auto event = parse_watch_event(line, &memory);
  if (!event) {
    fail(event.error());
    return false;
  }
  const bool readable = event->problem.empty();
  bool understood = true;
  switch (event->type) {
    case WatchEvent::Type::added:
      state.added(clock.now());
      [[fallthrough]];
    case WatchEvent::Type::modified:
      understood =
          readable ? known.upsert(event->object, batch) : take_unreadable(event->object, event->problem);
      break;
    case WatchEvent::Type::deleted:
      understood = known.remove(event->object, batch);
      break;
    case WatchEvent::Type::bookmark:
      return take_bookmark(*event);
    case WatchEvent::Type::error:
      fail(status_error(event->object, 0));
      return false;
  }
  if (!understood) ++errors;
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

Task<void> Reflector::Impl::list(ReflectorState::Action action) {
  known.begin_list(action.replace);
  std::string token, version;
  int pages_in_vain = 0;
  do {
    auto query = (action.limit > 0 ? fmt::format("limit={}", action.limit) : "") + selectors;
    if (!token.empty()) query += "&continue=" + percent_encode(token);
    const auto body = co_await fetch(std::move(query), kListTimeout);
    if (stopped) co_return;
    const auto had = known.listed();
    auto next = body ? take_page(*body, version) : std::unexpected(body.error());
    if (!next) {
      fail(next.error());
      co_return;
    }
    pages_in_vain = known.listed() > had ? 0 : pages_in_vain + 1;
    if (!next->empty() && (*next == token || pages_in_vain >= kPagesInVain)) {
      fail(no_progress());
      co_return;
    }
    token = std::move(*next);
  } while (!token.empty());
  if (state.listed(version, clock.now())) {
    complete_list();
  } else if (log.allows("older", clock.now())) {
    log::warn("reflector: list is older than the known state, listing again resource={} known={} server={}",
              options.resource.plural, state.resource_version(), version);
  }
}

Error Reflector::Impl::no_progress() {
  if (log.allows("no progress", clock.now()))
    log::warn("reflector: a list has pages without an end, trying again resource={} objects={}",
              options.resource.plural, known.listed());
  return {Error::Kind::invalid, "the pages of the list have no end"};
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
    take_item(text);
    if (batch.size() >= kBatch) release();
  }
  release();
  return std::move(page->token);
}

void Reflector::Impl::take_item(std::string_view text) {
  auto item = api::parse_json(text, &memory);
  bool understood = false;
  if (item) {
    understood = known.upsert(*item, batch);
  } else {
    auto outline = read_outline(text, &memory);
    understood = take_unreadable(outline, item.error().message);
  }
  if (!understood) ++errors;
}

bool Reflector::Impl::take_unreadable(json::value& outline, const std::string& problem) {
  ++unreadable;
  auto name = name_of(outline);
  if (logged.size() < kNamesLogged && !logged.contains(name)) {
    log::warn("object cannot be parsed resource={} object={} error={:?}", options.resource.plural, name,
              problem);
    logged.insert(std::move(name));
  }
  return known.upsert(outline, batch, false);
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
Task<void> Reflector::Impl::look_for_it() {
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
  known.end_list(state.resource_version(), batch);
  flush();
  ++lists;
  log::debug("reflector: listed resource={} objects={} resourceVersion={}", options.resource.plural,
             known.size(), state.resource_version());
  handler.listed(state.resource_version());
  if (std::exchange(synced, true)) return;
  handler.synced();
}

void Reflector::Impl::flush() {
  if (!batch.empty()) {
    changes += batch.size();
    handler.changed(batch);
    batch.clear();
  }
}

void Reflector::Impl::release() {
  flush();
  memory.reset();
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

void Reflector::Impl::tell_readiness() {
  if (state.outage() == told) return;
  told = state.outage();
  absent = false;
  if (told) {
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
  return {impl_->lists, impl_->watches, impl_->changes, impl_->errors, impl_->unreadable};
}

}  // namespace podium::client
