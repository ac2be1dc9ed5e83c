#include "scheduler/cycle/condition_writer.h"

#include <spdlog/spdlog.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/json/value.hpp>

#include "base/coalescing_queue.h"
#include "base/time.h"

namespace podium::cycle {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;

constexpr std::string_view kType = "PodScheduled";

struct Wanted {
  std::string ns, name, uid, reason, message;
  std::optional<std::string> nominated_node;  // "": none any more; nullopt: left alone
  std::int64_t generation = 0;
  bool was_false = false;  // the status was False before: lastTransitionTime stays

  void replaces(Wanted&& old) {
    if (!nominated_node) nominated_node = std::move(old.nominated_node);
  }
};

// A strategic merge patch: the list of conditions is merged by type, so others' conditions stay.
json::value patch_body(const Wanted& w, Wall now) {
  json::object condition{
      {"type", kType},        {"status", "False"},        {"reason", w.reason},
      {"message", w.message}, {"lastProbeTime", nullptr}, {"observedGeneration", w.generation}};
  if (!w.was_false) condition["lastTransitionTime"] = format_time(now);
  json::object status{{"conditions", json::array{std::move(condition)}}};
  if (w.nominated_node) {
    status["nominatedNodeName"] =
        w.nominated_node->empty() ? json::value(nullptr) : json::value(*w.nominated_node);
  }
  return json::object{{"metadata", {{"uid", w.uid}}}, {"status", std::move(status)}};
}

}  // namespace

struct ConditionWriter::Impl {
  Impl(client::Api& api_, async::Gate& gate_, asio::any_io_executor io_, std::size_t capacity,
       std::size_t writers)
      : api(api_), gate(gate_), io(std::move(io_)), queue(capacity, writers) {}

  static client::Task<void> drain(std::shared_ptr<Impl> self) {
    while (auto w = self->queue.take()) {
      auto body = patch_body(*w, self->api.clock().wall());
      const auto done =
          co_await self->api.patch(client::resource::pods, w->ns, w->name, client::PatchType::strategic_merge,
                                   std::move(body), "status");
      // 404: gone; 409 (UID precondition): replaced by another of its name.
      if (!done && done.error().code != 404 && done.error().code != 409) {
        spdlog::warn("pod condition not written pod={}/{} error=\"{}\"", w->ns, w->name,
                     done.error().message);
      }
    }
  }

  client::Api& api;
  async::Gate& gate;
  asio::any_io_executor io;
  CoalescingQueue<Wanted> queue;  // by pod UID
};

ConditionWriter::ConditionWriter(client::Api& api, async::Gate& gate, asio::any_io_executor io,
                                 std::size_t capacity, std::size_t writers)
    : impl_(std::make_shared<Impl>(api, gate, std::move(io), capacity, writers)) {}

ConditionWriter::~ConditionWriter() = default;

void ConditionWriter::write(const cluster::PodInfo& pod, std::string reason, std::string message,
                            std::optional<std::string> nominated_node) {
  const auto& meta = pod->meta;
  const auto* now = pod->condition(kType);
  const bool has_condition =
      now && now->status == "False" && now->reason == reason && now->message == message;
  const bool has_nomination = !nominated_node || *nominated_node == pod->nominated_node;
  if (has_condition && has_nomination && !impl_->queue.contains(meta.uid)) return;
  Wanted w{.ns = meta.namespace_,
           .name = meta.name,
           .uid = meta.uid,
           .reason = std::move(reason),
           .message = std::move(message),
           .nominated_node = std::move(nominated_node),
           .generation = meta.generation,
           .was_false = now && now->status == "False"};
  if (impl_->queue.push(meta.uid, std::move(w)))
    async::spawn(impl_->gate, impl_->io, "write", Impl::drain(impl_));
}

void ConditionWriter::forget(const std::string& uid) { impl_->queue.forget(uid); }
std::size_t ConditionWriter::waiting() const { return impl_->queue.size(); }
std::uint64_t ConditionWriter::dropped() const { return impl_->queue.dropped(); }

}  // namespace podium::cycle
