#include <boost/asio/this_coro.hpp>
#include <deque>
#include <utility>

#include "async/nap.h"
#include "async/timer.h"
#include "simulate/mutations/mutations.h"

namespace podium::simulate {
namespace {

using client::Request;
using client::Response;
using client::Task;

// A Stream whose reader has a bug.
class PlantedStream final : public client::Stream {
 public:
  PlantedStream(std::shared_ptr<const Bug> bug, std::function<bool()> decides, Request request,
                std::unique_ptr<Stream> stream)
      : bug_(std::move(bug)),
        decides_(std::move(decides)),
        request_(std::move(request)),
        stream_(std::move(stream)) {}

  int status() const override { return stream_->status(); }
  void close() override { stream_->close(); }
  Task<Result<std::string>> read(std::chrono::milliseconds silence) override {
    if (bug_->waits_for_silence) silence = std::chrono::hours(100);
    for (;;) {
      auto piece = co_await stream_->read(silence);
      if (!piece || piece->empty() || (!bug_->reads && !bug_->reads_while_deciding)) co_return piece;
      auto lines = lines_of(std::move(*piece));
      if (!lines.empty()) co_return Result<std::string>(std::move(lines));
    }
  }

 private:
  // A line may come in two pieces.
  std::string lines_of(std::string piece) {
    partial_ += piece;
    std::string out;
    for (auto end = partial_.find('\n'); end != std::string::npos; end = partial_.find('\n')) {
      auto line = partial_.substr(0, end + 1);
      partial_.erase(0, end + 1);
      if (bug_->reads) line = bug_->reads(request_, std::move(line));
      if (bug_->reads_while_deciding && decides_())
        line = bug_->reads_while_deciding(request_, std::move(line));
      out += line;
    }
    return out;
  }

  const std::shared_ptr<const Bug> bug_;
  const std::function<bool()> decides_;
  const Request request_;
  const std::unique_ptr<Stream> stream_;
  std::string partial_;
};

// An empty list, which then ends.
class EmptyList final : public client::Stream {
 public:
  int status() const override { return 200; }
  void close() override {}
  Task<Result<std::string>> read(std::chrono::milliseconds) override {
    constexpr std::string_view kLine =
        R"({"type":"BOOKMARK","object":{"kind":"List","metadata":{"resourceVersion":"1",)"
        R"("annotations":{"k8s.io/initial-events-end":"true"}}}})"
        "\n";
    co_return Result<std::string>(std::exchange(said_, true) ? std::string() : std::string(kLine));
  }

 private:
  bool said_ = false;
};

class PlantedTransport final : public client::Transport {
 public:
  PlantedTransport(Bug bug, std::shared_ptr<Transport> transport, std::function<bool()> decides)
      : bug_(std::make_shared<const Bug>(std::move(bug))),
        transport_(std::move(transport)),
        decides_(std::move(decides)) {}

  // Uses send_all() of the base class: one request after the other.
  Task<Result<Response>> send(Request request) override {
    if (bug_->delays) {
      const auto wait = bug_->delays(request);
      if (wait.count() > 0) co_await async::nap(wait);
    }
    while (!late_.empty() && late_.front().due <= async::TimerClock::now()) {
      auto late = std::move(late_.front().request);
      late_.pop_front();
      (void)co_await transport_->send(std::move(late));
    }
    if (bug_->before) bug_->before(request);
    if (bug_->instead) {
      auto answer = bug_->instead(request);
      if (answer && bug_->sends_late && bug_->sends_late(request).count() > 0)
        late_.push_back({async::TimerClock::now() + bug_->sends_late(request), request});
      if (answer) co_return Result<Response>(std::move(*answer));
    }
    for (;;) {
      auto answer = co_await transport_->send(request);
      if (bug_->after) bug_->after(request, answer);
      const auto rest = bug_->rests ? bug_->rests(answer) : Steady::duration::zero();
      if (rest.count() > 0) co_await async::nap(rest);
      if (!bug_->retries || !bug_->retries(request, answer)) co_return answer;
      if (bug_->retry_interval.count() > 0) co_await async::nap(bug_->retry_interval);
    }
  }

  Task<Result<std::unique_ptr<client::Stream>>> open(Request request) override {
    auto opened = co_await transport_->open(request);
    const bool lists = request.target.find("sendInitialEvents=true") != std::string::npos;
    if (bug_->fails_for_empty && lists && (!opened || (*opened)->status() != 200)) {
      std::unique_ptr<client::Stream> none = std::make_unique<EmptyList>();
      co_return Result<std::unique_ptr<client::Stream>>(std::move(none));
    }
    if (!opened) co_return opened;
    std::unique_ptr<client::Stream> stream =
        std::make_unique<PlantedStream>(bug_, decides_, std::move(request), std::move(*opened));
    co_return Result<std::unique_ptr<client::Stream>>(std::move(stream));
  }

  void close() override { transport_->close(); }

 private:
  struct Late {
    Steady due{};
    Request request;
  };

  const std::shared_ptr<const Bug> bug_;
  const std::shared_ptr<Transport> transport_;
  const std::function<bool()> decides_;
  std::deque<Late> late_;
};

}  // namespace

client::MayWrite plant(const Mutation* mutation, client::MayWrite may_write) {
  return mutation && mutation->writes_always ? client::MayWrite() : may_write;
}

std::shared_ptr<client::Transport> plant(const Mutation* mutation,
                                         std::shared_ptr<client::Transport> transport,
                                         std::function<bool()> decides) {
  if (!mutation || !mutation->make) return transport;
  return std::make_shared<PlantedTransport>(mutation->make(), std::move(transport), std::move(decides));
}

}  // namespace podium::simulate
