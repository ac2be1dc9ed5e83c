#include "scheduler/cycle/api_binder.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "api/decode.h"

namespace podium::cycle {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;

constexpr std::chrono::milliseconds kBindDeadline{70'000};  // a little over the API server's own 60 s
constexpr std::chrono::milliseconds kFirstLook{100}, kLastLook{5'000};

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

// What the pod itself says about a binding that is in doubt.
BindOutcome judge(const api::Pod& live, const api::Pod& pod, const std::string& node, const std::string& doubt) {
  if (live.meta.uid != pod.meta.uid) return {BindEnd::elsewhere, "the pod was replaced by another of its name"};
  if (live.node_name == node) return {BindEnd::bound, {}};
  if (!live.node_name.empty()) return {BindEnd::elsewhere, "the pod was placed on " + live.node_name};
  return {BindEnd::rejected, doubt};
}

}  // namespace

// Before the API server answers nobody knows, and the assumption has to stand.
client::Task<BindOutcome> look_at_binding(client::Api& api, cluster::PodInfoPtr pod, std::string node, std::string doubt) {
  asio::steady_timer timer(co_await asio::this_coro::executor);
  auto wait = kFirstLook;
  for (;;) {
    const auto live =
        co_await api.get(client::resource::pods, pod->pod->meta.namespace_, pod->pod->meta.name);
    if (live) {
      const auto decoded = api::decode_pod(*live);
      if (decoded) co_return judge(*decoded, *pod->pod, node, doubt);
      co_return BindOutcome{BindEnd::rejected, doubt + "; the pod could not be read: " + decoded.error().message};
    }
    if (live.error().code == 404) co_return BindOutcome{BindEnd::elsewhere, "the pod is gone"};
    if (live.error().kind == Error::Kind::cancelled) co_return BindOutcome{BindEnd::rejected, doubt};
    timer.expires_after(wait);
    boost::system::error_code ignored;
    co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    wait = std::min(wait * 2, kLastLook);
  }
}

client::Task<BindOutcome> bind_pod(client::Api& api, cluster::PodInfoPtr pod, std::string node) {
  const auto& meta = pod->pod->meta;
  auto path = client::resource::pods.path(meta.namespace_, meta.name, "binding");
  const auto sent = co_await api.post(std::move(path), binding_body(*pod->pod, node),
                                      {.deadline = kBindDeadline, .retry = true});
  if (sent) co_return BindOutcome{BindEnd::bound, {}};
  const auto& error = sent.error();
  if (error.code == 404) co_return BindOutcome{BindEnd::elsewhere, "the pod is gone"};
  if (error.code == 409 || error.maybe_applied) co_return co_await look_at_binding(api, pod, node, rejected(error.message).error);
  co_return rejected(error.message);
}

ApiBinder::ApiBinder(client::Api& api, client::Precedence& precedence, asio::any_io_executor io,
                     asio::any_io_executor strand, Ended ended)
    : api_(api), precedence_(precedence), io_(std::move(io)), strand_(std::move(strand)), ended_(std::move(ended)) {}

void ApiBinder::bind(cluster::PodInfoPtr pod, std::string node) {
  precedence_.enter();
  asio::co_spawn(io_, run(this, std::move(pod), std::move(node)), asio::detached);
}

client::Task<void> ApiBinder::run(ApiBinder* self, cluster::PodInfoPtr pod, std::string node) {
  auto outcome = co_await bind_pod(self->api_, pod, std::move(node));
  self->precedence_.leave();
  asio::post(self->strand_, [self, uid = pod->pod->meta.uid, outcome = std::move(outcome)] {
    self->ended_(uid, outcome);
  });
}

}  // namespace podium::cycle
