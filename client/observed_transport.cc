#include "client/observed_transport.h"

namespace podium::client {
namespace {

class ObservedTransport final : public Transport {
 public:
  ObservedTransport(std::shared_ptr<Transport> transport, const Clock& clock,
                    std::function<void(const Exchange&)> observer)
      : transport_(std::move(transport)), clock_(clock), observer_(std::move(observer)) {}

  Task<Result<Response>> send(Request request) override {
    const auto began = clock_.now();
    const auto method = request.method;
    auto reply = co_await transport_->send(std::move(request));
    tell(method, reply ? reply->status : 0, began);
    co_return reply;
  }

  Task<std::vector<Result<Response>>> send_all(std::vector<Request> requests) override {
    const auto began = clock_.now();
    std::vector<std::string> methods;
    for (const auto& request : requests) methods.push_back(request.method);
    auto replies = co_await transport_->send_all(std::move(requests));
    for (std::size_t i = 0; i < replies.size(); ++i)
      tell(methods[i], replies[i] ? replies[i]->status : 0, began);
    co_return replies;
  }

  Task<Result<std::unique_ptr<Stream>>> open(Request request) override {
    const auto began = clock_.now();
    const auto method = request.method;
    auto stream = co_await transport_->open(std::move(request));
    tell(method, stream ? (*stream)->status() : 0, began);
    co_return stream;
  }

  void close() override { transport_->close(); }

 private:
  void tell(std::string_view method, int status, Steady began) {
    observer_({method, status, clock_.now() - began});
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
