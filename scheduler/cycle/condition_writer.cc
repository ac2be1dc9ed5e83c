#include "scheduler/cycle/condition_writer.h"

#include <spdlog/spdlog.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/json/value.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <deque>
#include <mutex>

#include "base/time.h"

namespace podium::cycle {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;

constexpr std::string_view kType = "PodScheduled";

struct Wanted {
  std::string ns, name, uid, reason, message;
  std::int64_t generation = 0;
  bool was_false = false;  // the status was False before: lastTransitionTime stays
};

// A strategic merge patch: the list of conditions is merged by type, so others' conditions stay.
json::value patch_body(const Wanted& w, Wall now) {
  json::object condition{{"type", kType},          {"status", "False"},
                         {"reason", w.reason},     {"message", w.message},
                         {"lastProbeTime", nullptr}, {"observedGeneration", w.generation}};
  if (!w.was_false) condition["lastTransitionTime"] = format_time(now);
  return json::object{{"metadata", {{"uid", w.uid}}}, {"status", {{"conditions", json::array{std::move(condition)}}}}};
}

}  // namespace

struct ConditionWriter::Impl : std::enable_shared_from_this<Impl> {
  Impl(client::Api& api_, asio::any_io_executor io_, std::size_t capacity_, std::size_t writers_)
      : api(api_), io(std::move(io_)), capacity(capacity_), writers(writers_) {}

  // The next one to write, or nullopt; ends a writer's turn where there is none.
  std::optional<Wanted> take() {
    std::lock_guard lock(mutex);
    while (!order.empty()) {
      const auto uid = std::move(order.front());
      order.pop_front();
      const auto it = wanted.find(uid);
      if (it == wanted.end()) continue;
      auto w = std::move(it->second);
      wanted.erase(it);
      return w;
    }
    --running;
    return std::nullopt;
  }

  static client::Task<void> drain(std::shared_ptr<Impl> self) {
    while (auto w = self->take()) {
      auto body = patch_body(*w, self->api.clock().wall());
      const auto done = co_await self->api.patch(client::resource::pods, w->ns, w->name,
                                                 client::PatchType::strategic_merge, std::move(body), "status");
      // 404: gone; 409 (UID precondition): replaced by another of its name.
      if (!done && done.error().code != 404 && done.error().code != 409) {
        spdlog::warn("pod condition not written pod={}/{} error=\"{}\"", w->ns, w->name, done.error().message);
      }
    }
  }

  client::Api& api;
  asio::any_io_executor io;
  const std::size_t capacity, writers;
  std::mutex mutex;
  boost::unordered_flat_map<std::string, Wanted> wanted;  // by UID
  std::deque<std::string> order;
  std::size_t running = 0;
  std::uint64_t dropped = 0;
};

ConditionWriter::ConditionWriter(client::Api& api, asio::any_io_executor io, std::size_t capacity, std::size_t writers)
    : impl_(std::make_shared<Impl>(api, std::move(io), capacity, writers)) {}

ConditionWriter::~ConditionWriter() = default;

void ConditionWriter::write(const cluster::PodInfo& pod, std::string reason, std::string message) {
  const auto& meta = pod->meta;
  const auto* now = pod->condition(kType);
  if (now && now->status == "False" && now->reason == reason && now->message == message) return;
  Wanted w{.ns = meta.namespace_, .name = meta.name, .uid = meta.uid, .reason = std::move(reason),
           .message = std::move(message), .generation = meta.generation, .was_false = now && now->status == "False"};
  std::lock_guard lock(impl_->mutex);
  const auto [it, fresh] = impl_->wanted.try_emplace(meta.uid);
  if (fresh && impl_->wanted.size() > impl_->capacity) {
    impl_->wanted.erase(it);
    ++impl_->dropped;
    return;
  }
  it->second = std::move(w);
  if (fresh) {
    impl_->order.push_back(meta.uid);
    if (impl_->order.size() > 2 * impl_->capacity) {  // most of it was forgotten
      std::erase_if(impl_->order, [&](const std::string& uid) { return !impl_->wanted.contains(uid); });
    }
  }
  if (impl_->running < impl_->writers) {
    ++impl_->running;
    asio::co_spawn(impl_->io, Impl::drain(impl_), asio::detached);
  }
}

void ConditionWriter::forget(const std::string& uid) {
  std::lock_guard lock(impl_->mutex);
  impl_->wanted.erase(uid);
}

std::size_t ConditionWriter::waiting() const {
  std::lock_guard lock(impl_->mutex);
  return impl_->wanted.size();
}

std::uint64_t ConditionWriter::dropped() const {
  std::lock_guard lock(impl_->mutex);
  return impl_->dropped;
}

}  // namespace podium::cycle
