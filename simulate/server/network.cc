#include "simulate/server/network.h"

#include <algorithm>
#include <utility>

#include "simulate/server/exchange.h"

namespace podium::simulate {
namespace {

using namespace std::chrono_literals;
using client::Request;
using client::Response;

// The API server gives up a request after a minute; it takes no effect after that.
constexpr auto kLatest = 60s;

bool reads_only(const Request& request) { return request.method == "GET"; }

Response overloaded(std::uint64_t which) {
  auto reply = which == 0 ? status_reply(429, "TooManyRequests", "too many requests, please try again later")
                          : status_reply(503, "ServiceUnavailable", "apiserver is shutting down");
  reply.retry_after = 1 + static_cast<int>(which);
  return reply;
}

}  // namespace

Network::Network(Agenda& agenda, ApiServer& server, Faults faults, Dice dice)
    : agenda_(agenda), server_(server), faults_(faults), dice_(dice), rarity_(10u << dice_.below(5)) {}

bool Network::strikes(Fault fault) {
  const bool hit = dice_.one_in(rarity_);
  return hit && !healed_ && faults_.has(fault);
}

bool Network::refuses() { return strikes(Fault::refuse); }

Steady::duration Network::dial() { return dice_.between(0us, 300us); }

Network::Fate Network::fate(std::size_t requests) {
  Fate fate;
  fate.up = dice_.between(200us, 3ms);
  fate.down = dice_.between(200us, 3ms);
  fate.done = fate.answered = requests;
  if (strikes(Fault::slow)) fate.up += dice_.between(0us, 4s);
  if (strikes(Fault::slow)) fate.down += dice_.between(0us, 4s);
  if (strikes(Fault::late)) fate.up += dice_.between(0us, kLatest);
  fate.twice = strikes(Fault::twice);
  const bool loses_reply = strikes(Fault::lose_reply), loses_request = strikes(Fault::lose_request);
  fate.cuts = dice_.one_in(2);
  if (loses_reply) fate.answered = dice_.below(requests);
  if (loses_request) fate.done = fate.answered = dice_.below(requests);
  return fate;
}

// `after`: it takes effect nevertheless.
std::optional<Response> Network::refusal(const Request& request, bool* after) {
  *after = false;
  if (strikes(Fault::overload)) return overloaded(dice_.below(2));
  if (strikes(Fault::proxy_404)) return Response{404, "<html>no such page</html>"};
  if (!strikes(Fault::server_error)) return std::nullopt;
  *after = !reads_only(request) && dice_.one_in(2);
  // A plain 500 means that the request had no effect; these leave it open.
  switch (dice_.below(*after ? 2 : 3)) {
    case 0:
      return status_reply(504, "Timeout", "request did not complete within the allotted timeout");
    case 1:
      return status_reply(500, "InternalError", "etcdserver: request timed out");
    default:
      return status_reply(500, "InternalError", "internal error");
  }
}

Response Network::serve(const Host& host, const Request& request) {
  bool after = false;
  auto refused = refusal(request, &after);
  Response reply;
  if (!refused || after) reply = server_.serve(request, host.identity);
  if (refused) reply = std::move(*refused);
  if (served) served(host, request, reply.status);
  return reply;
}

bool Network::has_lost_exchanges() const {
  return std::ranges::any_of(lost_, [](const auto& weak) {
    const auto exchange = weak.lock();
    return exchange && !exchange->done;
  });
}

void Network::note_lost(const std::shared_ptr<WireExchange>& exchange, const Fate& fate) {
  if (fate.answered == exchange->requests.size() || fate.cuts) return;
  std::erase_if(lost_, [](const auto& weak) { return weak.expired(); });
  lost_.push_back(exchange);
}

void Network::send(const std::shared_ptr<WireExchange>& exchange) {
  for (const auto& request : exchange->requests) sent(*exchange->host, request);
  const auto now = agenda_.now();
  const auto fate = this->fate(exchange->requests.size());
  note_lost(exchange, fate);
  agenda_.after(fate.up, [this, exchange, fate, now] { arrive(exchange, fate, now); });
}

void Network::arrive(const std::shared_ptr<WireExchange>& exchange, const Fate& fate, Steady sent_at) {
  const auto now = agenda_.now();
  if (now < silent_until_) {
    agenda_.at(silent_until_, [this, exchange, fate, sent_at] { arrive(exchange, fate, sent_at); });
    return;
  }
  if (now - sent_at > kLatest) return;
  std::vector<Response> replies;
  arrives(sent_at);
  for (std::size_t i = 0; i < fate.done; ++i) {
    auto reply = serve(*exchange->host, exchange->requests[i]);
    if (fate.twice) reply = serve(*exchange->host, exchange->requests[i]);
    if (i < fate.answered) replies.push_back(std::move(reply));
  }
  agenda_.after(fate.down, [this, exchange, fate, replies = std::move(replies)]() mutable {
    if (exchange->done || exchange->host->is_cut) return;
    exchange->replies = std::move(replies);
    for (std::size_t i = 0; i < exchange->replies.size(); ++i)
      answered(*exchange->host, exchange->requests[i], exchange->replies[i]);
    const bool all = exchange->replies.size() == exchange->requests.size();
    if (all || fate.cuts) exchange->finish(Error::Kind::unavailable);
  });
}

void Network::open(const std::shared_ptr<WireExchange>& exchange) {
  sent(*exchange->host, exchange->requests.front());
  const auto now = agenda_.now();
  const auto fate = this->fate(1);
  note_lost(exchange, fate);
  agenda_.after(fate.up, [this, exchange, fate, now] { arrive_watch(exchange, fate, now); });
}

void Network::arrive_watch(const std::shared_ptr<WireExchange>& exchange, const Fate& fate, Steady sent_at) {
  const auto now = agenda_.now();
  if (now < silent_until_) {
    agenda_.at(silent_until_, [this, exchange, fate, sent_at] { arrive_watch(exchange, fate, sent_at); });
    return;
  }
  if (fate.done == 0 || now - sent_at > kLatest) {
    if (fate.cuts) exchange->finish(Error::Kind::unavailable);
    return;
  }
  const auto& request = exchange->requests.front();
  bool ignored = false;
  auto refused = refusal(request, &ignored);
  auto opened = refused ? ApiServer::Opened{} : server_.open(request);
  if (!refused && !opened.watch) refused = std::move(opened.refusal);
  served(*exchange->host, request, refused ? refused->status : 200);
  const auto pipe = std::make_shared<Pipe>();
  pipe->host = exchange->host;
  pipe->last = now + fate.down;
  if (refused) {
    deliver(pipe, {refused->body}, true, false);
  } else {
    pipe->watch = opened.watch;
    // The pipe belongs to its reader.
    opened.watch->deliver = [this, weak = std::weak_ptr(pipe)](std::string line) {
      if (const auto to = weak.lock()) push(to, std::move(line));
    };
    opened.watch->ended = [this, weak = std::weak_ptr(pipe)] {
      const auto of = weak.lock();
      if (of && !of->dead) deliver(of, {}, true, false);
    };
    server_.begin(opened);
  }
  const int status = refused ? refused->status : 200;
  agenda_.after(fate.down, [exchange, pipe, fate, status] {
    if (exchange->done || exchange->host->is_cut) {
      pipe->closed = true;
      if (pipe->watch) pipe->watch->closed = true;
      return;
    }
    if (fate.answered > 0) {
      exchange->pipe = pipe;
      exchange->replies.push_back({status, {}});
    }
    if (fate.answered > 0 || fate.cuts) exchange->finish(Error::Kind::unavailable);
  });
}

// A line of a watch in flight: it may be cut at any byte, be the last, or arrive in two pieces.
void Network::push(const std::shared_ptr<Pipe>& pipe, std::string line) {
  if (pipe->closed || pipe->dead || pipe->cut) return;
  if (strikes(Fault::half_open)) {
    pipe->dead = true;
    return;
  }
  if (line.find('\n') + 1 == line.size() && !line.starts_with(R"({"type":"BOOKMARK")") &&
      strikes(Fault::lose_event)) {
    has_lost_events_ = true;
    return;
  }
  pipe->last = std::max({pipe->last, agenda_.now() + dice_.between(200us, 3ms), silent_until_});
  if (strikes(Fault::slow)) pipe->last += dice_.between(0us, 4s);
  if (strikes(Fault::cut_stream)) {
    line.resize(dice_.below(line.size()));
    pipe->cut = true;
    pipe->watch->closed = true;
    return deliver(pipe, {std::move(line), ""}, false, true);
  }
  Piece piece{std::move(line)};
  if (dice_.one_in(16)) {
    const auto half = 1 + dice_.below(piece.bytes.size() - 1);
    deliver(pipe, {piece.bytes.substr(0, half), ""}, false, false);
    piece.lines = piece.bytes;
    piece.bytes.erase(0, half);
    pipe->last += 100us;
  }
  deliver(pipe, std::move(piece), false, false);
}

void Network::deliver(const std::shared_ptr<Pipe>& pipe, Piece piece, bool end, bool cut) {
  agenda_.at(std::max(pipe->last, agenda_.now()), [pipe, piece = std::move(piece), end, cut]() mutable {
    if (pipe->closed || pipe->host->is_cut) return;
    if (!piece.bytes.empty()) pipe->pieces.push_back(std::move(piece));
    if (end || cut) pipe->ended = true;
    pipe->bell.ring();
  });
}

}  // namespace podium::simulate
