#include "client/http/observed_transport.h"

#include "base/clock.h"

namespace podium::client {
namespace {

class ObservedTransport final : public Transport {
 public:
  ObservedTransport(std::shared_ptr<Transport> transport, const Clock& clock,
                    std::function<void(const Exchange&)> observer)
      : transport_(std::move(transport)), clock_(clock), observer_(std::move(observer)) {}

  Task<Result<Response>> send(Request request) override {
    Watched watched(request, clock_);
    auto reply = co_await transport_->send(std::move(request));
    report(watched, reply);
    co_return reply;
  }

  Task<std::vector<Result<Response>>> send_all(std::vector<Request> requests) override {
    std::vector<Watched> watched;
    for (const auto& request : requests) watched.emplace_back(request, clock_);
    auto replies = co_await transport_->send_all(std::move(requests));
    for (std::size_t i = 0; i < replies.size(); ++i) report(watched[i], replies[i]);
    co_return replies;
  }

  Task<Result<std::unique_ptr<Stream>>> open(Request request) override {
    Watched watched(request, clock_);
    auto stream = co_await transport_->open(std::move(request));
    watched.request_bytes.reset();
    report(watched, stream ? (*stream)->status() : 0, std::nullopt);
    co_return stream;
  }

  void close() override { transport_->close(); }

 private:
  // Data of a request in flight.
  struct Watched {
    Watched(const Request& request, const Clock& clock)
        : method(request.method),
          target(request.target),
          retries(request.retries),
          request_bytes(request.body.size()),
          began(clock.now()) {}
    std::string method, target;
    std::optional<int> retries;
    std::optional<std::size_t> request_bytes;
    Steady began;
  };

  void report(const Watched& watched, const Result<Response>& reply) {
    if (!reply && reply.error().kind == Error::Kind::not_leader) return;  // no request was made
    const auto bytes = reply ? std::optional(reply->body.size()) : std::nullopt;
    report(watched, reply ? reply->status : 0, bytes);
  }
  void report(const Watched& watched, int status, std::optional<std::size_t> reply_bytes) {
    observer_({.method = watched.method,
               .target = watched.target,
               .status = status,
               .duration = clock_.now() - watched.began,
               .retries = watched.retries,
               .request_bytes = watched.request_bytes,
               .reply_bytes = reply_bytes});
  }

  const std::shared_ptr<Transport> transport_;
  const Clock& clock_;
  const std::function<void(const Exchange&)> observer_;
};

}  // namespace

std::shared_ptr<Transport> observe(std::shared_ptr<Transport> transport, const Clock& clock,
                                   std::function<void(const Exchange&)> observer) {
  return std::make_shared<ObservedTransport>(std::move(transport), clock, std::move(observer));
}

}  // namespace podium::client
