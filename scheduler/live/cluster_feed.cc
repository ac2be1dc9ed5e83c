#include "scheduler/live/cluster_feed.h"

#include <algorithm>
#include <atomic>
#include <boost/asio/post.hpp>
#include <mutex>
#include <optional>
#include <utility>

#include "api/text/json_view.h"
#include "base/check.h"
#include "client/decode/watch_lines.h"
#include "client/request_errors.h"
#include "client/watch/reflector.h"
#include "log/log.h"
#include "metrics/samples.h"
#include "scheduler/live/arrival.h"
#include "scheduler/live/recent.h"
#include "scheduler/live/watched_kinds.h"

namespace podium::live {
namespace {

namespace asio = boost::asio;

// The resourceVersion of the last change; 0: it has none.
std::uint64_t version_of(std::span<const client::Change> changes) {
  return client::version_number(api::text_at(changes.back().object.view(), "/metadata/resourceVersion"));
}

}  // namespace

struct ClusterFeed::Impl : std::enable_shared_from_this<Impl> {
  struct Source final : client::ReflectorHandler {
    Source(Impl& feed_, const WatchedKind& kind_, client::Api& api, std::chrono::milliseconds relist)
        : feed(feed_),
          kind(kind_),
          reflector(api,
                    {.resource = kind_.resource,
                     .field_selector = kind_.field_selector,
                     .optional = kind_.optional,
                     .relist = relist},
                    *this) {}

    void changed(std::span<const client::Change> changes) override {
      std::vector<Arrival> arrivals;
      arrivals.reserve(changes.size());
      for (const auto& change : changes) {
        if (feed.tap) feed.tap(kind.resource, change);
        auto arrival = arrive(change, kind.decode, feed.rules, feed.recent);
        if (!arrival || change.type == client::Change::Type::unreadable)
          feed.undecodable.fetch_add(1, std::memory_order_relaxed);
        if (!arrival) arrival = as_deleted(change, arrival.error());
        if (arrival) arrivals.push_back(std::move(*arrival));
      }
      waiting.fetch_add(arrivals.size(), std::memory_order_relaxed);
      asio::post(feed.strand, [self = feed.shared_from_this(), this, version = version_of(changes),
                               arrivals = std::move(arrivals)] {
        for (const auto& arrival : arrivals) {
          kind.apply(self->scheduler, arrival);
          waiting.fetch_sub(1, std::memory_order_relaxed);
        }
        if (version > 0) applied.store(version, std::memory_order_relaxed);
      });
    }
    Result<Arrival> as_deleted(const client::Change& change, const Error& why) const {
      if (auto damaged = kind.decode ? std::nullopt : damaged_pod(change.object.view(), feed.rules)) {
        const auto& meta = damaged->meta;
        log::warn(
            "cannot decode bound pod, still counting its resources on its node namespace={} name={} "
            "error={:?}",
            meta.namespace_, meta.name, why.message);
        return *std::move(damaged);
      }
      auto end = end_of(change);
      log::warn("cannot decode object, treating it as deleted kind={} namespace={} name={} error={:?}",
                kind.resource.plural, end ? end->meta.namespace_ : "", end ? end->meta.name : "",
                why.message);
      return end;
    }
    void versions_restarted() override {
      if (!kind.versions_restarted) return;
      asio::post(feed.strand,
                 [self = feed.shared_from_this(), this] { kind.versions_restarted(self->scheduler); });
    }
    void listed(std::string_view version) override {
      asio::post(feed.strand, [self = feed.shared_from_this(), this, at = std::string(version)] {
        if (kind.listed) kind.listed(self->scheduler, at);
        applied.store(client::version_number(at), std::memory_order_relaxed);
      });
    }
    void synced() override {
      {
        std::lock_guard lock(feed.mutex);
        if (std::exchange(is_synced, true)) return;
      }
      asio::post(feed.strand, [self = feed.shared_from_this()] { self->one_synced(); });
    }
    void unavailable(const Error& error) override {
      std::lock_guard lock(feed.mutex);
      trouble = error.text();
      if (kind.optional && client::is_not_found(error)) return;  // discovery is asked now
      log::warn("cannot list or watch verb={} resource={} code={} error={:?}", error.request.verb,
                error.request.resource, error.status.code, error.text());
    }
    void not_served() override {
      log::info("resource is not served by the API server, treating it as empty resource={}",
                kind.resource.plural);
      end_trouble();
      synced();
    }
    void available() override {
      end_trouble();
      log::info("watching again resource={}", kind.resource.plural);
    }
    void end_trouble() {
      const std::lock_guard lock(feed.mutex);
      trouble.reset();
    }

    Impl& feed;
    const WatchedKind& kind;
    client::Reflector reflector;
    std::atomic<std::size_t> waiting{0};    // changes that the scheduler has not applied
    std::atomic<std::uint64_t> applied{0};  // the resourceVersion of the last one that it has
    bool is_synced = false;                 // under feed.mutex
    std::optional<std::string> trouble;     // under feed.mutex
  };

  Impl(client::Api& api, cycle::Scheduler& scheduler_, const cluster::RequestRules& rules_,
       async::Gate& gate_, asio::any_io_executor io_, asio::any_io_executor strand_,
       std::chrono::milliseconds relist)
      : scheduler(scheduler_), rules(rules_), gate(gate_), io(std::move(io_)), strand(std::move(strand_)) {
    for (const auto& kind : watched_kinds())
      sources.push_back(std::make_unique<Source>(*this, kind, api, relist));
    unsynced = sources.size();
  }

  void one_synced() {
    if (--unsynced == 0 && on_synced) on_synced();
  }

  cycle::Scheduler& scheduler;
  const cluster::RequestRules rules;
  Recent recent;  // io
  async::Gate& gate;
  asio::any_io_executor io, strand;
  std::vector<std::unique_ptr<Source>> sources;
  std::size_t unsynced = 0;  // strand
  std::function<void()> on_synced;
  ClusterFeed::Tap tap;
  bool started = false;
  mutable std::mutex mutex;
  std::atomic<std::uint64_t> undecodable{0};
};

ClusterFeed::ClusterFeed(client::Api& api, cycle::Scheduler& scheduler, const cluster::RequestRules& rules,
                         async::Gate& gate, asio::any_io_executor io, asio::any_io_executor strand,
                         std::chrono::milliseconds relist)
    : impl_(std::make_shared<Impl>(api, scheduler, rules, gate, std::move(io), std::move(strand), relist)) {}

ClusterFeed::~ClusterFeed() = default;

void ClusterFeed::start(std::function<void()> synced) {
  PODIUM_CHECK(!std::exchange(impl_->started, true));
  impl_->on_synced = std::move(synced);
  for (auto& source : impl_->sources) {
    async::spawn(impl_->gate, impl_->io, "watch " + source->kind.resource.plural, source->reflector.run());
  }
}

void ClusterFeed::tap(Tap tap) {
  PODIUM_CHECK(!impl_->started);
  impl_->tap = std::move(tap);
}

void ClusterFeed::stop() {
  for (auto& source : impl_->sources) source->reflector.stop();
}

std::vector<std::string> ClusterFeed::not_ready() const {
  std::vector<std::string> out;
  std::lock_guard lock(impl_->mutex);
  for (const auto& source : impl_->sources) {
    if (source->trouble) {
      out.push_back(source->kind.resource.plural + ": " + *source->trouble);
    } else if (!source->is_synced) {
      out.push_back(source->kind.resource.plural + ": not listed yet");
    }
  }
  return out;
}

std::vector<std::pair<std::string, bool>> ClusterFeed::watches() const {
  std::vector<std::pair<std::string, bool>> out;
  const std::lock_guard lock(impl_->mutex);
  for (const auto& source : impl_->sources)
    out.emplace_back(source->kind.resource.plural, !source->trouble.has_value());
  return out;
}

std::uint64_t ClusterFeed::undecodable() const { return impl_->undecodable.load(std::memory_order_relaxed); }

void ClusterFeed::sample_metrics(metrics::Samples& out) const {
  auto& family = out.gauges("podium_watches_failing",
                            "1 for a kind that cannot be listed or watched now, else 0.", {"resource"});
  for (const auto& [resource, works] : watches()) family.add({resource}, works ? 0 : 1);
  constexpr std::uint64_t kExact = 1'000'000'000'000'000;
  const std::vector<std::string> labels{"name", "group", "version", "resource"};
  auto& waiting = out.gauges("informer_queued_items",
                             "Changes that were received and that the scheduler has not applied.", labels);
  auto& applied = out.gauges("informer_store_resource_version",
                             "The last 15 digits of the resource version of the last change or list that the "
                             "scheduler has applied.",
                             labels);
  for (const auto& source : impl_->sources) {
    const auto& [group, version, plural, namespaced] = source->kind.resource;
    waiting.add({"kube-scheduler", group, version, plural}, source->waiting.load());
    applied.add({"kube-scheduler", group, version, plural}, source->applied.load() % kExact);
  }
  out.counter(
      "podium_undecodable_objects_total",
      "Objects that podium could not read. It treats them as deleted, but still counts the resources of a "
      "bound pod.",
      undecodable());
}

}  // namespace podium::live
