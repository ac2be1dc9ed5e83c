#include "scheduler/live/api_binder.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <iterator>

#include "api/text/json_string.h"
#include "api/values/pod.h"
#include "async/nap.h"
#include "client/request_errors.h"
#include "client/retry.h"
#include "log/log.h"
#include "scheduler/live/binding_request.h"

namespace podium::live {
namespace {

namespace asio = boost::asio;

constexpr std::chrono::milliseconds kBindDeadline{70'000};  // above the API server's own 60 s
constexpr std::chrono::milliseconds kFastReply{250};        // for each request of a batch
constexpr std::chrono::milliseconds kLongestPause{5'000};   // whatever Retry-After says
constexpr std::size_t kLanes = 16, kMostInBatch = 8, kShare = 4;

std::string binding_body(const api::Pod& pod, const std::string& node) {
  std::string out;
  out.reserve(256);
  const auto add = [&out](std::string_view before, std::string_view text) {
    out += before;
    api::append_json(out, text);
  };
  add(R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":)", pod.meta.name);
  add(R"(,"namespace":)", pod.meta.namespace_);
  add(R"(,"uid":)", pod.meta.uid);
  add(R"(},"target":{"apiVersion":"v1","kind":"Node","name":)", node);
  return out += "}}";
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

Error with_doubt(Error error) {
  error.maybe_applied = client::leaves_doubt(error);
  return error;
}

client::Task<Result<void>> post_binding(client::Api& api, cluster::PodInfoPtr pod, std::string node) {
  auto sent =
      co_await api.post(binding_path(*pod->pod), binding_body(*pod->pod, node),
                        {.deadline = kBindDeadline, .retry = true, .repeats = client::Repeats::errors});
  if (!sent) sent = std::unexpected(with_doubt(std::move(sent.error())));
  co_return sent;
}

}  // namespace

ApiBinder::ApiBinder(client::Api& api, client::Precedence& precedence, async::Gate& gate,
                     asio::any_io_executor io, asio::any_io_executor strand, Ended ended, InDoubt in_doubt,
                     Read read)
    : api_(api),
      precedence_(precedence),
      gate_(gate),
      io_(std::move(io)),
      strand_(std::move(strand)),
      ended_(std::move(ended)),
      in_doubt_(std::move(in_doubt)),
      read_(std::move(read)) {}

void ApiBinder::bind(cluster::PodInfoPtr pod, std::string node) {
  precedence_.enter();
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back({std::move(pod), std::move(node)});
    if (lanes_ == kLanes) return;
    ++lanes_;
  }
  if (async::spawn(gate_, io_, "bindings", run(this))) return;
  std::vector<Order> orders;
  {
    const std::lock_guard lock(mutex_);
    --lanes_;
    std::ranges::move(waiting_, std::back_inserter(orders));
    waiting_.clear();
  }
  give_up(std::move(orders));
}

// Takes only a share of the queue, so that the other lanes do not run dry while this one sends
// a long batch.
std::vector<ApiBinder::Order> ApiBinder::take_batch() {
  const std::lock_guard lock(mutex_);
  std::vector<Order> orders;
  auto n = fast_replies_ ? std::clamp<std::size_t>(waiting_.size() / kShare, 1, kMostInBatch) : 1;
  for (; n > 0 && !waiting_.empty(); --n) {
    orders.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
  if (orders.empty()) --lanes_;
  return orders;
}

void ApiBinder::observe_latency(std::chrono::nanoseconds each) {
  const std::lock_guard lock(mutex_);
  fast_replies_ = each < kFastReply;
}

client::Task<void> ApiBinder::run(ApiBinder* self) {
  for (;;) {
    auto orders = self->take_batch();
    if (orders.empty()) co_return;
    if (orders.size() == 1) {
      co_await send_one(self, std::move(orders.front()));
    } else {
      co_await send_batch(self, std::move(orders));
    }
  }
}

client::Task<void> ApiBinder::send_batch(ApiBinder* self, std::vector<Order> orders) {
  std::vector<client::Request> requests;
  for (const auto& order : orders) requests.push_back(binding_request(**order.pod, order.node));
  const auto began = self->api_.clock().now();
  auto answers = co_await self->api_.send_all(std::move(requests));
  self->observe_latency((self->api_.clock().now() - began) / static_cast<int>(orders.size()));
  std::vector<std::string> bound;
  for (std::size_t i = 0; i < orders.size(); ++i) {
    if (answers[i]) {
      bound.push_back((*orders[i].pod)->meta.uid);
    } else {
      self->spawn_settle(std::move(orders[i]), with_doubt(std::move(answers[i].error())), true);
    }
  }
  if (!bound.empty()) self->post_bound(std::move(bound));
}

client::Task<void> ApiBinder::send_one(ApiBinder* self, Order order) {
  const auto began = self->api_.clock().now();
  auto sent = co_await post_binding(self->api_, order.pod, order.node);
  self->observe_latency(self->api_.clock().now() - began);
  if (sent) {
    self->post_bound({(*order.pod)->meta.uid});
  } else {
    self->spawn_settle(std::move(order), std::move(sent.error()), false);
  }
}

// Runs outside the lane, because settling may take minutes.
void ApiBinder::spawn_settle(Order order, Error error, bool may_retry) {
  if (async::spawn(gate_, io_, "settle binding", settle(this, order, std::move(error), may_retry))) return;
  give_up({std::move(order)});
}

client::Task<void> ApiBinder::settle(ApiBinder* self, Order order, Error error, bool may_retry) {
  bool in_doubt = false;
  BindingRequest request;
  request.pod = order.pod;
  request.node = order.node;
  request.send = [self, &order] { return post_binding(self->api_, order.pod, order.node); };
  request.in_doubt = [self, &order, &in_doubt] {
    in_doubt = true;
    self->precedence_.leave();
    asio::post(self->strand_, [self, uid = (*order.pod)->meta.uid] { self->in_doubt_(uid); });
  };
  const auto pause = may_retry
                         ? client::Retry(false, self->api_.random(), client::Repeats::errors).after(error)
                         : std::nullopt;
  // A single request renews the token after a 401; requests in a batch do not.
  const bool again = pause || (may_retry && error.status.code == 401), doubted = error.maybe_applied;
  Result<void> sent = std::unexpected(std::move(error));
  if (pause) co_await async::nap(std::min(*pause, kLongestPause));
  if (again) sent = co_await request.send();
  if (!sent) sent.error().maybe_applied |= doubted;
  if (!sent) self->health_.failed(sent.error(), self->api_.clock().now());
  auto outcome = co_await carry_out(self->api_, std::move(request), std::move(sent), self->log_);
  if (outcome.end == cycle::BindEnd::rejected)
    outcome.error = "binding rejected: running Bind plugin \"DefaultBinder\": " + outcome.error;
  if (outcome.end == cycle::BindEnd::bound) self->health_.bound();
  if (!in_doubt) self->precedence_.leave();
  self->post_outcome(order, std::move(outcome));
}

void ApiBinder::post_bound(std::vector<std::string> uids) {
  health_.bound();
  for (std::size_t i = 0; i < uids.size(); ++i) precedence_.leave();
  asio::post(strand_, [this, uids = std::move(uids)] {
    for (const auto& uid : uids) ended_(uid, {cycle::BindEnd::bound, {}});
  });
}

void ApiBinder::post_outcome(const Order& order, cycle::BindOutcome outcome) {
  asio::post(strand_,
             [this, uid = (*order.pod)->meta.uid, outcome = std::move(outcome)] { ended_(uid, outcome); });
}

void ApiBinder::read(cluster::PodInfoPtr pod) {
  if (async::spawn(gate_, io_, "read bound pod", read_one(this, pod))) return;
  post_read((*pod)->meta.uid, {});
}

client::Task<void> ApiBinder::read_one(ApiBinder* self, cluster::PodInfoPtr pod) {
  auto read = co_await read_pod(self->api_, pod);
  const auto& meta = (*pod)->meta;
  const bool not_made = read.pod && (*read.pod)->meta.uid == meta.uid && (*read.pod)->node_name.empty();
  if (not_made && self->log_.allows("not made", self->api_.clock().now())) {
    log::warn("binding was accepted but the pod has no node, scheduling it again pod={} node={}",
              (*pod)->full_name(), (*pod)->node_name);
  }
  self->post_read(meta.uid, std::move(read));
}

void ApiBinder::post_read(const std::string& uid, cycle::PodRead read) {
  asio::post(strand_, [this, uid, read = std::move(read)] { read_(uid, read); });
}

// Called when the gate is closed.
void ApiBinder::give_up(std::vector<Order> orders) {
  for (const auto& order : orders) {
    precedence_.leave();
    post_outcome(order, {cycle::BindEnd::unknown, cycle::kStopping});
  }
}

}  // namespace podium::live
