#include "scheduler/cycle/api_binder.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "api/decode.h"
#include "async/nap.h"
#include "client/retry.h"

namespace podium::cycle {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;

constexpr std::chrono::milliseconds kBindDeadline{70'000};  // a little over the API server's own 60 s
constexpr std::chrono::milliseconds kFirstLook{100}, kLastLook{5'000};
constexpr std::size_t kLanes = 16, kAtOnce = 8, kShare = 4;

std::string binding_body(const api::Pod& pod, const std::string& node) {
  return json::serialize(json::object{
      {"apiVersion", "v1"},
      {"kind", "Binding"},
      {"metadata", {{"name", pod.meta.name}, {"namespace", pod.meta.namespace_}, {"uid", pod.meta.uid}}},
      {"target", {{"apiVersion", "v1"}, {"kind", "Node"}, {"name", node}}}});
}

BindOutcome rejected(const std::string& why) {
  return {BindEnd::rejected, "binding rejected: running Bind plugin \"DefaultBinder\": " + why};
}

std::string binding_path(const api::Pod& pod) {
  return client::resource::pods.path(pod.meta.namespace_, pod.meta.name, "binding");
}

client::Request binding_request(const api::Pod& pod, const std::string& node) {
  client::Request request;
  request.method = "POST";
  request.target = binding_path(pod);
  request.body = binding_body(pod, node);
  request.accept = client::kBriefReply;
  request.timeout = kBindDeadline;
  return request;
}

// What the pod itself says about a binding that is in doubt.
BindOutcome judge(const api::Pod& live, const api::Pod& pod, const std::string& node,
                  const std::string& doubt) {
  if (live.meta.uid != pod.meta.uid)
    return {BindEnd::elsewhere, "the pod was replaced by another of its name"};
  if (live.node_name == node) return {BindEnd::bound, {}};
  if (!live.node_name.empty()) return {BindEnd::elsewhere, "the pod was placed on " + live.node_name};
  return {BindEnd::rejected, doubt};
}

}  // namespace

// Before the API server answers nobody knows, and the assumption has to stand.
client::Task<BindOutcome> look_at_binding(client::Api& api, cluster::PodInfoPtr pod, std::string node,
                                          std::string doubt) {
  auto wait = kFirstLook;
  for (;;) {
    const auto live =
        co_await api.get(client::resource::pods, pod->pod->meta.namespace_, pod->pod->meta.name);
    if (live) {
      const auto decoded = api::decode_pod(*live);
      if (decoded) co_return judge(*decoded, *pod->pod, node, doubt);
      co_return BindOutcome{BindEnd::rejected,
                            doubt + "; the pod could not be read: " + decoded.error().message};
    }
    if (live.error().code == 404) co_return BindOutcome{BindEnd::elsewhere, "the pod is gone"};
    if (live.error().kind == Error::Kind::cancelled) co_return BindOutcome{BindEnd::rejected, doubt};
    co_await async::nap(wait);
    wait = std::min(wait * 2, kLastLook);
  }
}

client::Task<BindOutcome> after_failure(client::Api& api, cluster::PodInfoPtr pod, std::string node,
                                        Error error) {
  if (error.code == 404) co_return BindOutcome{BindEnd::elsewhere, "the pod is gone"};
  auto doubt = rejected(error.message);
  if (error.code == 409 || error.maybe_applied)
    co_return co_await look_at_binding(api, pod, node, doubt.error);
  co_return doubt;
}

client::Task<BindOutcome> bind_pod(client::Api& api, cluster::PodInfoPtr pod, std::string node) {
  auto sent = co_await api.post(binding_path(*pod->pod), binding_body(*pod->pod, node),
                                {.deadline = kBindDeadline, .retry = true});
  if (sent) co_return BindOutcome{BindEnd::bound, {}};
  co_return co_await after_failure(api, pod, node, std::move(sent.error()));
}

ApiBinder::ApiBinder(client::Api& api, client::Precedence& precedence, async::Gate& gate,
                     asio::any_io_executor io, asio::any_io_executor strand, Ended ended)
    : api_(api),
      precedence_(precedence),
      gate_(gate),
      io_(std::move(io)),
      strand_(std::move(strand)),
      ended_(std::move(ended)) {}

void ApiBinder::bind(cluster::PodInfoPtr pod, std::string node) {
  precedence_.enter();
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back({std::move(pod), std::move(node)});
    if (lanes_ == kLanes) return;
    ++lanes_;
  }
  async::spawn(gate_, io_, "bind", run(this));
}

// A lane takes its share of what waits, so that the other lanes do not run empty while it works through a
// long row.
std::vector<ApiBinder::Order> ApiBinder::take() {
  const std::lock_guard lock(mutex_);
  std::vector<Order> orders;
  for (auto n = std::clamp<std::size_t>(waiting_.size() / kShare, 1, kAtOnce); n > 0 && !waiting_.empty();
       --n) {
    orders.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
  if (orders.empty()) --lanes_;
  return orders;
}

client::Task<void> ApiBinder::run(ApiBinder* self) {
  for (;;) {
    auto orders = self->take();
    if (orders.empty()) co_return;
    if (orders.size() == 1) {
      co_await alone(self, std::move(orders.front()));
    } else {
      co_await together(self, std::move(orders));
    }
  }
}

client::Task<void> ApiBinder::together(ApiBinder* self, std::vector<Order> orders) {
  std::vector<client::Request> requests;
  for (const auto& order : orders) requests.push_back(binding_request(**order.pod, order.node));
  auto answers = co_await self->api_.send_all(std::move(requests));
  std::vector<Done> done;
  for (std::size_t i = 0; i < orders.size(); ++i) {
    if (answers[i]) {
      done.push_back({(*orders[i].pod)->meta.uid, {BindEnd::bound, {}}});
    } else {
      async::spawn(self->gate_, self->io_, "settle",
                   settle(self, std::move(orders[i]), std::move(answers[i].error())));
    }
  }
  if (!done.empty()) self->tell(std::move(done));
}

client::Task<void> ApiBinder::alone(ApiBinder* self, Order order) {
  auto outcome = co_await bind_pod(self->api_, order.pod, order.node);
  self->tell_one(order, std::move(outcome));
}

client::Task<void> ApiBinder::settle(ApiBinder* self, Order order, Error error) {
  const auto pause = client::Retry(false, self->api_.random()).after(error);
  if (pause) co_await async::nap(*pause);
  // After a 401 a request on its own renews the token first.
  if (pause || error.code == 401) co_return co_await alone(self, std::move(order));
  auto outcome = co_await after_failure(self->api_, order.pod, order.node, std::move(error));
  self->tell_one(order, std::move(outcome));
}

void ApiBinder::tell_one(const Order& order, BindOutcome outcome) {
  std::vector<Done> done;
  done.push_back({(*order.pod)->meta.uid, std::move(outcome)});
  tell(std::move(done));
}

void ApiBinder::tell(std::vector<Done> done) {
  for (std::size_t i = 0; i < done.size(); ++i) precedence_.leave();
  asio::post(strand_, [this, done = std::move(done)] {
    for (const auto& [uid, outcome] : done) ended_(uid, outcome);
  });
}

}  // namespace podium::cycle
