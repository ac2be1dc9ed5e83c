#include "scheduler/live/pod_status_writer.h"

#include <fmt/format.h>

#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/value.hpp>
#include <unordered_map>
#include <utility>

#include "api/text/json_view.h"
#include "api/values/pod.h"
#include "async/timer.h"
#include "base/text_hash.h"
#include "base/time.h"
#include "base/utf8.h"
#include "client/request_errors.h"
#include "log/limit.h"
#include "log/log.h"
#include "metrics/samples.h"
#include "scheduler/cluster/cluster_objects.h"
#include "scheduler/live/object_patch.h"

namespace podium::live {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;

constexpr std::string_view kType = "PodScheduled";
constexpr std::chrono::milliseconds kDeadline{10'000};  // per try
constexpr std::chrono::minutes kLongestRetry{10};
constexpr std::size_t kMostMessage = 32 * 1024;  // bytes; without a bound the API server would refuse the pod
constexpr unsigned kConflicts = 3;               // repeats after a conflict
enum Lane : unsigned { kNominations, kConditions };

// The result that withdraw() awaits. Set once, at the latest when the entry is destroyed. Used
// on `io` only.
struct FirstAttempt {
  explicit FirstAttempt(const asio::any_io_executor& io) : timer(io, Steady::max()) {}

  static void set(std::shared_ptr<FirstAttempt> self, Result<void> result) {
    const auto io = self->timer.get_executor();
    asio::post(io, [self = std::move(self), result = std::move(result)]() mutable {
      if (self->result) return;
      self->result = std::move(result);
      self->timer.cancel();
    });
  }

  async::Timer timer;
  std::optional<Result<void>> result;
};

class Promise {
 public:
  explicit Promise(std::shared_ptr<FirstAttempt> attempt) : attempt_(std::move(attempt)) {}
  Promise(Promise&& other) noexcept : attempt_(std::exchange(other.attempt_, nullptr)) {}
  Promise& operator=(Promise&& other) noexcept {
    std::swap(attempt_, other.attempt_);
    return *this;
  }
  ~Promise() {
    if (attempt_) set(fail(Error::Kind::cancelled, "not written"));
  }
  void set(Result<void> result) { FirstAttempt::set(std::exchange(attempt_, nullptr), std::move(result)); }

 private:
  std::shared_ptr<FirstAttempt> attempt_;
};

struct Condition {
  std::string reason, message;
  std::int64_t generation = 0;
  bool was_false = false;  // the status was False before: lastTransitionTime is kept
};

struct Wanted {
  std::string name;
  std::string version;                        // the newest resourceVersion of the pod that is known
  std::optional<Condition> condition;         // nullopt: unchanged
  std::optional<std::string> nominated_node;  // "": cleared; nullopt: unchanged
  std::vector<Promise> promises;
  unsigned conflicts = 0;  // tries that ended with one

  void replaces(Wanted&& old) {
    if (!condition) condition = std::move(old.condition);
    if (!nominated_node) nominated_node = std::move(old.nominated_node);
    for (auto& promise : old.promises) promises.push_back(std::move(promise));
  }
};

std::string newer(std::string a, std::string b) {
  return cluster::is_newer(a, b) ? std::move(a) : std::move(b);
}

// A strategic merge patch: conditions are merged by type, so the other conditions stay. The API server
// refuses it for another UID or resourceVersion.
json::value patch_body(const std::string& uid, const Wanted& wanted, Wall now) {
  json::object status;
  if (wanted.condition) {
    const auto& c = *wanted.condition;
    json::object condition{
        {"type", kType},        {"status", "False"},        {"reason", c.reason},
        {"message", c.message}, {"lastProbeTime", nullptr}, {"observedGeneration", c.generation}};
    if (!c.was_false) condition["lastTransitionTime"] = format_time(now);
    status["conditions"] = json::array{std::move(condition)};
  }
  if (wanted.nominated_node) {
    const auto& node = *wanted.nominated_node;
    status["nominatedNodeName"] = node.empty() ? json::value(nullptr) : json::value(node);
  }
  json::object metadata{{"uid", uid}};
  if (!wanted.version.empty()) metadata["resourceVersion"] = wanted.version;
  return json::object{{"metadata", std::move(metadata)}, {"status", std::move(status)}};
}

// True if a status of an unscheduled pod may be written to this object.
bool is_unscheduled(const json::value& pod, const std::string& uid) {
  return api::text_at(pod, "/metadata/uid") == uid && api::text_at(pod, "/spec/nodeName").empty();
}

// A permanent refusal is not retried: the pod's next attempt writes again. A namespace that forbids or delays
// writes holds up itself only.
async::Outcome outcome_of(const Error& error) {
  const bool refused = client::is_invalid(error) || error.status.code == 413;
  if (refused || error.kind == Error::Kind::cancelled) return async::Outcome::failed;
  return client::classify(error, async::Outcome::retry);
}

}  // namespace

struct PodStatusWriter::Impl {
  using Queue = async::Writers<Wanted>;

  Impl(client::Api& api, async::Gate& gate, asio::any_io_executor io, PodStatusOptions options)
      : api(api),
        io(io),
        capacity(options.capacity),
        queue(options_of(options), api.clock(), api.random(), gate, io,
              [this](std::vector<Queue::Item>& batch) { return write(this, batch); }) {}

  static async::WritersOptions options_of(const PodStatusOptions& options) {
    async::WritersOptions out;
    out.name = "pod status";
    out.workers = options.workers;
    out.queue.capacity = options.capacity;
    out.queue.item = out.queue.of_namespace = out.queue.all = options.backoff;
    out.queue.most_age = kLongestRetry;
    return out;
  }

  void push(const cluster::PodInfo& pod, Wanted wanted, Lane lane) {
    const auto& meta = pod->meta;
    const std::lock_guard lock(mutex);
    // Entries that wait or are in flight stay: at most the queue's capacity.
    if (unsettled.size() > 2 * capacity)
      std::erase_if(unsettled, [this](const auto& entry) { return !queue.holds(entry.first); });
    unsettled[meta.uid].waits = true;
    wanted.version = meta.resource_version;
    queue.push(meta.namespace_, meta.uid, std::move(wanted), lane);
  }

  // True if `pod` does not show the current status: a write of it is queued or in flight, or has succeeded
  // and the watch has not shown it.
  bool is_unsettled(const api::Pod& pod) {
    const std::lock_guard lock(mutex);
    const auto it = unsettled.find(pod.meta.uid);
    if (it == unsettled.end()) return false;
    if (it->second.waits || cluster::is_newer(it->second.seen, pod.meta.resource_version)) return true;
    unsettled.erase(it);
    return false;
  }

  // `version`: the pod's after the write; empty: not known.
  void settled(const std::string& uid, std::string version) {
    const std::lock_guard lock(mutex);
    const auto it = unsettled.find(uid);
    if (it == unsettled.end()) return;
    if (!version.empty()) it->second.seen = std::move(version);
    it->second.waits = queue.contains(uid);
    if (!it->second.waits && it->second.seen.empty()) unsettled.erase(it);
  }

  // The pod's version that the next write is for: the watch may not have shown the last write yet.
  std::string version_for(const Queue::Item& item) {
    const std::lock_guard lock(mutex);
    const auto it = unsettled.find(item.key);
    return it == unsettled.end() ? item.value.version : newer(it->second.seen, item.value.version);
  }

  void saw(const std::string& uid, std::string version) {
    const std::lock_guard lock(mutex);
    if (const auto it = unsettled.find(uid); it != unsettled.end()) it->second.seen = std::move(version);
  }

  // One try. The pod's version after it; empty: no unscheduled pod has this UID.
  static client::Task<Result<std::string>> patch(Impl* self, Queue::Item* item) {
    item->value.version = self->version_for(*item);
    auto body = patch_body(item->key, item->value, self->api.clock().wall());
    const client::CallOptions options{kDeadline, true};
    auto done = co_await self->api.patch(client::resource::pods, item->ns, item->value.name,
                                         client::PatchType::strategic_merge, std::move(body), "status",
                                         client::kFieldManager, options);
    if (done) co_return api::text_at(*done, "/metadata/resourceVersion");
    if (client::object_is_gone(done.error())) co_return std::string();
    if (!client::is_conflict(done.error())) co_return std::unexpected(std::move(done.error()));
    // The pod has changed, was bound, or is another one of its name.
    auto live = co_await self->api.get(client::resource::pods, item->ns, item->value.name, options);
    if (live ? !is_unscheduled(*live, item->key) : client::object_is_gone(live.error()))
      co_return std::string();
    if (!live) co_return std::unexpected(std::move(live.error()));
    item->value.version = api::text_at(*live, "/metadata/resourceVersion");
    self->saw(item->key, item->value.version);
    co_return std::unexpected(std::move(done.error()));
  }

  static client::Task<void> write(Impl* self, std::vector<Queue::Item>& batch) {
    for (auto& item : batch) {
      auto version = co_await patch(self, &item);
      Result<void> result;
      if (!version) {
        const auto& error = version.error();
        const bool conflicts = client::is_conflict(error);
        if (conflicts) ++item.value.conflicts;
        item.outcome = item.value.conflicts > kConflicts ? async::Outcome::failed : outcome_of(error);
        if (conflicts && item.outcome != async::Outcome::failed) continue;
        item.at_least = std::chrono::seconds(error.status.retry_after);
        self->log_failure(item, error);
        result = std::unexpected(error);
      }
      for (auto& promise : std::exchange(item.value.promises, {})) promise.set(result);
      if (item.outcome == async::Outcome::done || item.outcome == async::Outcome::failed)
        self->settled(item.key, version.value_or(""));
    }
  }

  void log_failure(const Queue::Item& item, const Error& error) {
    if (client::is_not_leader(error)) return;
    const auto cause =
        fmt::format("{} {} {}", static_cast<int>(error.kind), error.status.code, error.status.reason);
    if (!log.allows(cause, api.clock().now())) return;
    log::warn("pod status not written verb={} resource={} pod={}/{} tries={} error={:?}", error.request.verb,
              error.request.resource, item.ns, item.value.name, item.tries + 1, error.text());
  }

  client::Api& api;
  const asio::any_io_executor io;
  const std::size_t capacity;
  LogLimit log;
  struct Unsettled {
    bool waits = false;  // a write is queued or in flight
    std::string seen;    // the pod's resourceVersion in the last reply; empty: no reply had one
  };

  std::mutex mutex;                                                // guards unsettled
  std::unordered_map<std::string, Unsettled, TextHash> unsettled;  // by the pod's UID
  Queue queue;                                                     // by pod UID
};

PodStatusWriter::PodStatusWriter(client::Api& api, async::Gate& gate, asio::any_io_executor io,
                                 PodStatusOptions options)
    : impl_(std::make_unique<Impl>(api, gate, std::move(io), options)) {}

PodStatusWriter::~PodStatusWriter() = default;

void PodStatusWriter::not_scheduled(const cluster::PodInfo& pod, std::string reason, std::string message,
                                    std::optional<std::string> nominated_node) {
  message.resize(whole_characters(message, kMostMessage).size());
  const auto& meta = pod->meta;
  const auto* now = pod->condition(kType);
  const bool has_condition =
      now && now->status == "False" && now->reason == reason && now->message == message;
  const bool has_nomination = !nominated_node || *nominated_node == pod->nominated_node;
  if (has_condition && has_nomination && !impl_->is_unsettled(*pod)) return;
  Wanted wanted;
  wanted.name = meta.name;
  wanted.condition = Condition{.reason = std::move(reason),
                               .message = std::move(message),
                               .generation = meta.generation,
                               .was_false = now && now->status == "False"};
  const auto lane = nominated_node ? kNominations : kConditions;
  wanted.nominated_node = std::move(nominated_node);
  impl_->push(pod, std::move(wanted), lane);
}

void PodStatusWriter::nominate(const cluster::PodInfo& pod, std::string node) {
  Wanted wanted;
  wanted.name = pod->meta.name;
  wanted.nominated_node = std::move(node);
  impl_->push(pod, std::move(wanted), kNominations);
}

void PodStatusWriter::forget(const std::string& pod_uid) {
  const std::lock_guard lock(impl_->mutex);
  impl_->queue.forget(pod_uid);
  impl_->unsettled.erase(pod_uid);
}

client::Task<Result<void>> PodStatusWriter::withdraw(cluster::PodInfoPtr pod) {
  const auto first = std::make_shared<FirstAttempt>(impl_->io);
  Wanted wanted;
  wanted.name = (*pod)->meta.name;
  wanted.nominated_node = "";
  wanted.promises.emplace_back(first);
  impl_->push(*pod, std::move(wanted), kNominations);
  boost::system::error_code ignored;
  if (!first->result) co_await first->timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  if (!first->result) co_return fail(Error::Kind::cancelled, "stopped");
  co_return *first->result;
}

client::Task<void> PodStatusWriter::drain(async::DrainLimits limits) {
  return impl_->queue.drain(limits,
                            [](const Wanted& wanted) { return wanted.nominated_node.value_or("").empty(); });
}

async::WritersCounts PodStatusWriter::counts() const { return impl_->queue.counts(); }

void PodStatusWriter::sample_metrics(metrics::Samples& out) const {
  const auto now = counts();
  out.counter("podium_pod_statuses_written_total", "PodScheduled conditions and nominations written.",
              now.done);
  out.counter("podium_pod_statuses_failed_total",
              "Conditions and nominations that the API server refused and that are not retried.", now.failed);
  out.counter("podium_pod_statuses_dropped_total",
              "Conditions and nominations that were never written: the queue was full, they failed for ten "
              "minutes, or podium stopped.",
              now.dropped);
  out.gauge("podium_pod_statuses_pending", "Conditions and nominations that wait to be written.",
            now.waiting);
}

}  // namespace podium::live
