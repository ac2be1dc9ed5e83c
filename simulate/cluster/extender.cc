#include "simulate/cluster/extender.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

#include "simulate/base/object_fields.h"
#include "simulate/server/exchange.h"

namespace podium::simulate {
namespace {

using namespace std::chrono_literals;
using client::Request;
using client::Response;
using client::Task;
using Kind = Error::Kind;

class ExtenderWire final : public client::Transport {
 public:
  ExtenderWire(ModelExtender& extender, HostPtr host) : extender_(extender), host_(std::move(host)) {}

  Task<Result<Response>> send(Request request) override {
    const auto exchange = std::make_shared<WireExchange>();
    if (closed_) co_return fail(Kind::cancelled, "closed");
    exchange->host = host_;
    auto& agenda = extender_.agenda();
    const auto patience = agenda.after(request.timeout, [exchange] { exchange->finish(Kind::timeout); });
    if (!host_->is_cut) {
      auto answer = extender_.answer(*host_, request);
      if (answer.reply) {
        exchange->replies.push_back(std::move(*answer.reply));
        agenda.after(answer.wait, [exchange] {
          if (!exchange->host->is_cut) exchange->finish(Kind::unavailable);
        });
      }
    }
    std::erase_if(in_flight_, [](const auto& weak) { return weak.expired(); });
    in_flight_.push_back(exchange);
    const bool rung = co_await Bell::wait(&exchange->bell);
    agenda.cancel(patience);
    if (!rung) exchange->finish(Kind::cancelled);
    if (exchange->end == Kind::unavailable) co_return Result<Response>(std::move(exchange->replies.front()));
    co_return fail(exchange->end, "no reply");
  }

  Task<Result<std::unique_ptr<client::Stream>>> open(Request) override {
    co_return fail(Kind::unavailable, "an extender has no watches");
  }

  void close() override {
    closed_ = true;
    for (const auto& weak : in_flight_) {
      if (const auto exchange = weak.lock()) exchange->finish(Kind::cancelled);
    }
  }

 private:
  ModelExtender& extender_;
  const HostPtr host_;
  bool closed_ = false;
  std::vector<std::weak_ptr<WireExchange>> in_flight_;
};

}  // namespace

std::shared_ptr<client::Transport> ModelExtender::connect(HostPtr host) {
  return std::make_shared<ExtenderWire>(*this, std::move(host));
}

ModelExtender::Answer ModelExtender::answer(const Host& host, const Request& request) {
  const auto body = json::parse(request.body);
  Answer out;
  out.wait = dice_.between(1ms, 100ms);
  const auto names = *find_at(body, "/NodeNames");
  if (request.target == "/prioritize") {
    json::array scores;
    const auto best = dice_.below(names.as_array().size());
    for (std::size_t i = 0; i < names.as_array().size(); ++i)
      scores.push_back({{"Host", names.as_array()[i]}, {"Score", i == best ? 10 : 0}});
    out.reply = Response{200, json::serialize(scores)};
    return out;
  }
  if (asked) asked(host, text_at(body, "/Pod/metadata/uid"));
  out.reply = Response{200, json::serialize(json::object{{"NodeNames", names}})};
  if (resting_) return out;
  const auto which = dice_.below(32);
  if (which < 12) out.wait = dice_.between(100ms, 4s);
  if (which == 12) out.reply->status = 500;
  if (which == 13) out.reply->body = R"({"Error":"not now"})";
  if (which == 14) out.reply.reset();
  return out;
}

}  // namespace podium::simulate
