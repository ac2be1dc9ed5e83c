#include <utility>

#include "simulate/server/exchange.h"
#include "simulate/server/network.h"

namespace podium::simulate {
namespace {

using client::Request;
using client::Response;
using client::Task;
using Kind = Error::Kind;

// Reads the lines that arrive in a Pipe.
class WireStream final : public client::Stream {
 public:
  WireStream(Network& network, std::shared_ptr<Pipe> pipe, int status)
      : network_(network), pipe_(std::move(pipe)), status_(status) {}
  ~WireStream() override { close(); }

  int status() const override { return status_; }
  void close() override {
    pipe_->closed = true;
    if (pipe_->watch) pipe_->watch->closed = true;
    pipe_->bell.ring();
  }

  Task<Result<std::string>> read(std::chrono::milliseconds silence) override {
    const auto pipe = pipe_;
    const auto read = ++pipe->reads;
    pipe->timed_out = false;
    auto& agenda = network_.agenda();
    const auto patience = agenda.after(silence, [pipe, read] {
      if (pipe->reads != read) return;
      pipe->timed_out = true;
      pipe->bell.ring();
    });
    for (;;) {
      if (!pipe->pieces.empty()) {
        agenda.cancel(patience);
        ++pipe->reads;
        auto piece = std::move(pipe->pieces.front());
        pipe->pieces.pop_front();
        if (pipe->watch)
          network_.read(*pipe->host, pipe->watch->plural, piece.lines ? *piece.lines : piece.bytes);
        co_return Result<std::string>(std::move(piece.bytes));
      }
      if (pipe->ended && pipe->cut) co_return fail(Kind::unavailable, "connection reset");
      if (pipe->ended) co_return Result<std::string>(std::string());
      if (pipe->closed) co_return fail(Kind::cancelled, "closed");
      if (pipe->timed_out) co_return fail(Kind::timeout, "silent");
      const bool rung = co_await Bell::wait(&pipe->bell);
      if (!rung) co_return fail(Kind::cancelled, "stopped");
    }
  }

 private:
  Network& network_;
  const std::shared_ptr<Pipe> pipe_;
  const int status_;
};

class Wire final : public client::Transport {
 public:
  Wire(Network& network, HostPtr host, client::MayWrite may_write)
      : network_(network), host_(std::move(host)), may_write_(std::move(may_write)) {}

  Task<Result<Response>> send(Request request) override {
    std::vector<Request> one;
    one.push_back(std::move(request));
    auto answers = co_await send_all(std::move(one));
    co_return std::move(answers.front());
  }

  Task<std::vector<Result<Response>>> send_all(std::vector<Request> requests) override {
    const auto exchange = begin(std::move(requests));
    const auto ended = co_await run(exchange, false);
    std::vector<Result<Response>> answers;
    for (auto& reply : exchange->replies) answers.emplace_back(std::move(reply));
    while (answers.size() < exchange->requests.size()) {
      auto error = ended.error();
      error.maybe_applied = error.maybe_applied && exchange->requests[answers.size()].method != "GET";
      answers.emplace_back(std::unexpected(std::move(error)));
    }
    co_return answers;
  }

  Task<Result<std::unique_ptr<client::Stream>>> open(Request request) override {
    std::vector<Request> one;
    one.push_back(std::move(request));
    const auto exchange = begin(std::move(one));
    const auto ended = co_await run(exchange, true);
    if (!exchange->pipe) co_return std::unexpected(ended.error());
    std::unique_ptr<client::Stream> stream =
        std::make_unique<WireStream>(network_, exchange->pipe, exchange->replies.front().status);
    streams_.push_back(exchange->pipe);
    co_return Result<std::unique_ptr<client::Stream>>(std::move(stream));
  }

  void close() override {
    closed_ = true;
    for (const auto& weak : in_flight_) {
      const auto exchange = weak.lock();
      if (exchange) exchange->finish(Kind::cancelled);
    }
    for (const auto& weak : streams_) {
      const auto pipe = weak.lock();
      if (!pipe) continue;
      pipe->closed = true;
      pipe->bell.ring();
    }
  }

 private:
  std::shared_ptr<WireExchange> begin(std::vector<Request> requests) {
    const auto exchange = std::make_shared<WireExchange>();
    exchange->host = host_;
    exchange->requests = std::move(requests);
    for (const auto& request : exchange->requests) network_.begins(*host_, request);
    std::erase_if(in_flight_, [](const auto& weak) { return weak.expired(); });
    std::erase_if(streams_, [](const auto& weak) { return weak.expired(); });
    in_flight_.push_back(exchange);
    return exchange;
  }

  static std::unexpected<Error> failed(Kind kind, bool sent) {
    auto error = fail(kind, kind == Kind::timeout ? "no reply in time" : "connection lost");
    error.error().maybe_applied = sent;
    return error;
  }

  // Waits until all requests are answered. The error is that of requests without a reply.
  Task<Result<void>> run(std::shared_ptr<WireExchange> exchange, bool watch) {
    auto& agenda = network_.agenda();
    if (closed_ || exchange->requests.empty()) co_return failed(Kind::cancelled, false);
    bool writes = false;
    for (const auto& request : exchange->requests) writes = writes || request.method != "GET";
    const auto patience =
        agenda.after(exchange->requests.front().timeout, [exchange] { exchange->finish(Kind::timeout); });
    agenda.after(network_.dial(), [exchange] { exchange->bell.ring(); });
    const bool dialled = co_await Bell::wait(&exchange->bell);
    if (!dialled) co_return failed(Kind::cancelled, false);
    if (exchange->done) co_return failed(exchange->end, false);
    if (network_.refuses()) co_return failed(Kind::unavailable, false);
    if (writes && may_write_ && !may_write_()) co_return client::not_leader();
    if (host_->is_cut) {
      // Crashed: waits for its timeout, or for its end.
    } else if (watch) {
      network_.open(exchange);
    } else {
      network_.send(exchange);
    }
    const bool rung = co_await Bell::wait(&exchange->bell);
    if (!rung) exchange->finish(Kind::cancelled);
    agenda.cancel(patience);
    if (exchange->replies.size() == exchange->requests.size()) co_return Result<void>();
    co_return failed(exchange->end, true);
  }

  Network& network_;
  const HostPtr host_;
  const client::MayWrite may_write_;
  bool closed_ = false;
  std::vector<std::weak_ptr<WireExchange>> in_flight_;
  std::vector<std::weak_ptr<Pipe>> streams_;
};

}  // namespace

std::shared_ptr<client::Transport> Network::connect(HostPtr host, client::MayWrite may_write) {
  return std::make_shared<Wire>(*this, std::move(host), std::move(may_write));
}

}  // namespace podium::simulate
