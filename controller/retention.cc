#include "controller/retention.h"

#include <spdlog/spdlog.h>

#include <atomic>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/value.hpp>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "api/decode.h"
#include "base/time.h"
#include "controller/report_spec.h"

namespace podium::controller {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;

using Key = std::pair<std::string, std::string>;  // namespace, name

struct Entry {
  std::string uid;
  Wall expires{};
};

// When a report that was found on the API server may go.
std::optional<std::pair<Key, Entry>> found(const json::value& object, std::chrono::seconds default_ttl) {
  auto meta = api::decode_meta(object);
  if (!meta) return std::nullopt;
  const auto* spec = object.as_object().if_contains("spec");
  const auto* status = object.as_object().if_contains("status");
  std::optional<Wall> expires;
  if (status && status->is_object()) {
    if (const auto* at = status->as_object().if_contains("expiresAt"); at && at->is_string()) {
      expires = parse_time(at->as_string());
    }
  }
  if (!expires) expires = meta->created.value_or(Wall{}) + report_ttl(spec, default_ttl);
  return std::pair(Key(meta->namespace_, meta->name), Entry{meta->uid, *expires});
}

}  // namespace

struct Retention::Impl {
  Impl(client::Api& api_, RetentionOptions options_) : api(api_), options(options_) {}

  void track(Key key, Entry entry) {
    std::lock_guard lock(mutex);
    auto& slot = entries[key];
    by_expiry.erase({slot.expires, key});
    by_expiry.emplace(entry.expires, key);
    slot = std::move(entry);
  }

  void forget(const Key& key) {
    std::lock_guard lock(mutex);
    const auto it = entries.find(key);
    if (it == entries.end()) return;
    by_expiry.erase({it->second.expires, key});
    entries.erase(it);
  }

  std::optional<std::pair<Key, Entry>> next_due(Wall now) {
    std::lock_guard lock(mutex);
    if (by_expiry.empty() || by_expiry.begin()->first > now) return std::nullopt;
    const auto& key = by_expiry.begin()->second;
    return std::pair(key, entries.at(key));
  }

  // Waits, at most until stop(); false when it is time to end.
  static client::Task<bool> wait(std::shared_ptr<Impl> self, std::chrono::milliseconds time) {
    asio::steady_timer timer(co_await asio::this_coro::executor, time);
    {
      std::lock_guard lock(self->mutex);
      if (self->stopping) co_return false;
      self->timer = &timer;
    }
    boost::system::error_code ignored;
    co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    std::lock_guard lock(self->mutex);
    self->timer = nullptr;
    co_return !self->stopping;
  }

  static client::Task<bool> list(std::shared_ptr<Impl> self) {
    // Named, because GCC 12 destroys a closure that is made inside a co_await expression twice.
    const std::function<bool(std::vector<json::value>)> track_all =
        [self, ttl = self->options.default_ttl](std::vector<json::value> items) {
          for (const auto& item : items) {
            if (auto entry = found(item, ttl)) self->track(std::move(entry->first), std::move(entry->second));
          }
          return true;
        };
    const client::ListOptions everything;
    auto listed =
        co_await self->api.list_pages(client::resource::scheduling_reports, "", everything, track_all);
    if (!listed) spdlog::debug("reports not listed error=\"{}\"", listed.error().message);
    co_return listed.has_value();
  }

  // Deletes what is due; false: the API server does not answer, try in the next round.
  static client::Task<bool> delete_due(std::shared_ptr<Impl> self) {
    const auto pause = std::chrono::milliseconds(1000) / static_cast<long>(self->options.deletes_per_second);
    while (auto due = self->next_due(self->api.clock().wall())) {
      const auto& [key, entry] = *due;
      client::DeleteOptions only_this_one;
      only_this_one.uid = entry.uid;
      auto gone = co_await self->api.remove(client::resource::scheduling_reports, key.first, key.second,
                                            only_this_one);
      // 404: somebody else did; 409: another of its name, which has an entry of its own once it is seen.
      if (!gone && gone.error().code != 404 && gone.error().code != 409) co_return false;
      self->forget(key);
      self->deleted.fetch_add(gone ? 1 : 0, std::memory_order_relaxed);
      const bool going_on = co_await wait(self, pause);
      if (!going_on) break;
    }
    co_return true;
  }

  client::Api& api;
  const RetentionOptions options;
  mutable std::mutex mutex;
  std::map<Key, Entry> entries;
  std::set<std::pair<Wall, Key>> by_expiry;
  bool stopping = false;
  asio::steady_timer* timer = nullptr;  // the wait under way; cancelled by stop()
  std::atomic<std::uint64_t> deleted{0};
};

Retention::Retention(client::Api& api, RetentionOptions options)
    : impl_(std::make_shared<Impl>(api, options)) {}
Retention::~Retention() = default;

void Retention::track(const std::string& ns, const std::string& name, const std::string& uid, Wall expires) {
  impl_->track({ns, name}, {uid, expires});
}
void Retention::forget(const std::string& ns, const std::string& name) { impl_->forget({ns, name}); }
std::uint64_t Retention::deleted() const { return impl_->deleted.load(std::memory_order_relaxed); }

std::size_t Retention::size() const {
  std::lock_guard lock(impl_->mutex);
  return impl_->entries.size();
}

client::Task<void> Retention::run() {
  const auto self = impl_;
  auto next_list = self->api.clock().now();
  for (bool going_on = true; going_on;) {
    if (self->api.clock().now() >= next_list) {
      const bool listed = co_await Impl::list(self);
      if (listed) next_list = self->api.clock().now() + self->options.relist;
    }
    co_await Impl::delete_due(self);
    going_on = co_await Impl::wait(self, self->options.round);
  }
}

void Retention::stop() {
  std::lock_guard lock(impl_->mutex);
  impl_->stopping = true;
  if (impl_->timer) {
    asio::post(impl_->timer->get_executor(), [self = impl_] {
      std::lock_guard inner(self->mutex);
      if (self->timer) self->timer->cancel();
    });
  }
}

}  // namespace podium::controller
