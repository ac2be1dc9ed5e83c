#include "scheduler/live/cluster_feed.h"

#include <algorithm>
#include <atomic>
#include <boost/asio/post.hpp>
#include <mutex>
#include <optional>
#include <utility>

#include "api/decode/decode.h"
#include "api/decode/decode_workload.h"
#include "api/text/json_view.h"
#include "api/values/device.h"
#include "base/check.h"
#include "client/request_errors.h"
#include "client/watch/reflector.h"
#include "client/watch/reflector_state.h"
#include "log/log.h"
#include "metrics/samples.h"

namespace podium::live {
namespace {

namespace asio = boost::asio;
using framework::Action;

// One change: the decoded object, or only its metadata if it was deleted.
struct Arrival {
  bool deleted = false;
  // A pod that cannot be decoded. If it is on a node, it still takes capacity there: its last known version
  // stays, else `pod` counts, which has only its requests. Null `pod`: gone, unless it was known on a node.
  bool damaged = false;
  api::ObjectMeta meta;     // of a deleted object or a damaged pod
  cluster::PodInfoPtr pod;  // pods
  api::Object object;       // every other kind
};

template <typename T, auto Decode>
Result<api::Object> decoded(const boost::json::value& value) {
  auto object = Decode(value);
  if (!object) return std::unexpected(object.error());
  return api::Object(std::make_shared<const T>(std::move(*object)));
}

template <api::Workload::Kind Kind>
Result<api::Object> workload(const boost::json::value& value) {
  auto object = api::decode_workload(value, Kind);
  if (!object) return std::unexpected(object.error());
  return api::Object(std::make_shared<const api::Workload>(std::move(*object)));
}

// Applies a change of a kind that Objects holds, and passes the event to the scheduler.
template <typename T, framework::EventResource Kind>
void apply_object(cycle::Scheduler& scheduler, const Arrival& arrival) {
  auto& objects = scheduler.snapshot().objects();
  framework::ClusterEvent event{.resource = Kind, .actions = Action::kAdd, .before = {}, .after = {}};
  const auto& meta =
      arrival.deleted ? arrival.meta : std::get<std::shared_ptr<const T>>(arrival.object)->meta;
  // If the object is assumed as it was written, the write of this process was already an event.
  auto before = cluster::Objects::assumed_as_written<T> ? objects.shared<T>(meta.namespace_, meta.name)
                                                        : objects.actual<T>(meta.namespace_, meta.name);
  if (before) {
    event.before = std::move(before);
    event.actions = Action::kUpdateOther;
  }
  if (arrival.deleted) {
    if (std::holds_alternative<std::monostate>(event.before)) return;
    event.actions = Action::kDelete;
    objects.remove<T>(meta.namespace_, meta.name);
  } else {
    event.after = arrival.object;
    const bool is_news = objects.set<T>(std::get<std::shared_ptr<const T>>(arrival.object));
    if (cluster::Objects::assumed_as_written<T> && !is_news) return;
  }
  scheduler.object_changed(std::move(event));
}

// Priority classes only matter to what-ifs, disruption budgets to the choice of victims: no pod waits
// for their events.
template <typename T>
void apply_quietly(cycle::Scheduler& scheduler, const Arrival& arrival) {
  auto& objects = scheduler.snapshot().objects();
  if (arrival.deleted) {
    objects.remove<T>(arrival.meta.namespace_, arrival.meta.name);
  } else {
    objects.set<T>(std::get<std::shared_ptr<const T>>(arrival.object));
  }
}

// The scheduler sees a change of the slices whose devices get other taints, as upstream. One event is enough:
// its hint does not look at the slice.
void apply_taint_rule(cycle::Scheduler& scheduler, const Arrival& arrival) {
  auto& objects = scheduler.snapshot().objects();
  const auto before = objects.taints_version();
  apply_quietly<api::DeviceTaintRule>(scheduler, arrival);
  if (objects.taints_version() == before) return;
  scheduler.object_changed({.resource = framework::EventResource::resource_slice,
                            .actions = Action::kUpdateOther,
                            .before = {},
                            .after = {}});
}

// Removes claims that this process created and that were deleted before the watch could show them.
void claims_listed(cycle::Scheduler& scheduler, std::string_view version) {
  for (auto& [ns, name] : scheduler.snapshot().objects().never_shown<api::ResourceClaim>(version)) {
    Arrival gone;
    gone.deleted = true;
    gone.meta.namespace_ = std::move(ns);
    gone.meta.name = std::move(name);
    apply_object<api::ResourceClaim, framework::EventResource::resource_claim>(scheduler, gone);
  }
}

// Services and controllers only provide default spread selectors; no queueing hint uses their events.
template <api::Workload::Kind Kind>
void apply_workload(cycle::Scheduler& scheduler, const Arrival& arrival) {
  auto& objects = scheduler.snapshot().objects();
  if (arrival.deleted) {
    objects.remove_workload(arrival.meta.namespace_, Kind, arrival.meta.name);
  } else {
    objects.set_workload(std::get<std::shared_ptr<const api::Workload>>(arrival.object));
  }
}

void apply_node(cycle::Scheduler& scheduler, const Arrival& arrival) {
  if (arrival.deleted) {
    scheduler.node_deleted(arrival.meta.name);
  } else {
    scheduler.node_added_or_updated(std::get<api::NodePtr>(arrival.object));
  }
}

void apply_pod(cycle::Scheduler& scheduler, const Arrival& arrival) {
  const auto& meta = arrival.deleted || arrival.damaged ? arrival.meta : (*arrival.pod)->meta;
  scheduler.snapshot().saw_pods(client::version_number(meta.resource_version));
  if (arrival.damaged && scheduler.snapshot().find_pod(meta.uid)) return;
  if (arrival.deleted || !arrival.pod) {
    scheduler.pod_deleted(meta.uid);
  } else {
    scheduler.pod_added_or_updated(arrival.pod);
  }
}

// The resourceVersion of the last change; 0: it has none.
std::uint64_t version_of(std::span<const client::Change> changes) {
  return client::version_number(api::text_at(changes.back().object.view(), "/metadata/resourceVersion"));
}

struct Kind {
  const client::Resource& resource;
  const char* field_selector;
  Result<api::Object> (*decode)(const boost::json::value&);  // null for pods, which become PodInfo
  void (*apply)(cycle::Scheduler&, const Arrival&);
  bool optional = false;  // counts as empty if the API server does not serve it
  void (*listed)(cycle::Scheduler&, std::string_view version) = nullptr;  // after each complete list
};

using W = api::Workload::Kind;
using R = framework::EventResource;
namespace res = client::resource;

const Kind kKinds[] = {
    {res::nodes, "", decoded<api::Node, api::decode_node>, apply_node},
    {res::pods, "status.phase!=Succeeded,status.phase!=Failed", nullptr, apply_pod},
    {res::namespaces, "", decoded<api::Namespace, api::decode_namespace>,
     apply_object<api::Namespace, R::namespace_>},
    {res::services, "", workload<W::service>, apply_workload<W::service>},
    {res::replication_controllers, "", workload<W::replication_controller>,
     apply_workload<W::replication_controller>},
    {res::replica_sets, "", workload<W::replica_set>, apply_workload<W::replica_set>},
    {res::stateful_sets, "", workload<W::stateful_set>, apply_workload<W::stateful_set>},
    {res::persistent_volumes, "", decoded<api::PersistentVolume, api::decode_persistent_volume>,
     apply_object<api::PersistentVolume, R::persistent_volume>},
    {res::persistent_volume_claims, "",
     decoded<api::PersistentVolumeClaim, api::decode_persistent_volume_claim>,
     apply_object<api::PersistentVolumeClaim, R::persistent_volume_claim>},
    {res::storage_classes, "", decoded<api::StorageClass, api::decode_storage_class>,
     apply_object<api::StorageClass, R::storage_class>},
    {res::csi_nodes, "", decoded<api::CsiNode, api::decode_csi_node>,
     apply_object<api::CsiNode, R::csi_node>},
    {res::csi_drivers, "", decoded<api::CsiDriver, api::decode_csi_driver>,
     apply_object<api::CsiDriver, R::csi_driver>},
    {res::csi_storage_capacities, "", decoded<api::CsiStorageCapacity, api::decode_csi_storage_capacity>,
     apply_object<api::CsiStorageCapacity, R::csi_storage_capacity>},
    {res::volume_attachments, "", decoded<api::VolumeAttachment, api::decode_volume_attachment>,
     apply_object<api::VolumeAttachment, R::volume_attachment>},
    {res::resource_claims, "", decoded<api::ResourceClaim, api::decode_resource_claim>,
     apply_object<api::ResourceClaim, R::resource_claim>, true, claims_listed},
    {res::resource_slices, "", decoded<api::ResourceSlice, api::decode_resource_slice>,
     apply_object<api::ResourceSlice, R::resource_slice>, true},
    {res::device_classes, "", decoded<api::DeviceClass, api::decode_device_class>,
     apply_object<api::DeviceClass, R::device_class>, true},
    {res::device_taint_rules, "", decoded<api::DeviceTaintRule, api::decode_device_taint_rule>,
     apply_taint_rule, true},
    {res::pod_disruption_budgets, "", decoded<api::PodDisruptionBudget, api::decode_pod_disruption_budget>,
     apply_quietly<api::PodDisruptionBudget>},
    {res::priority_classes, "", decoded<api::PriorityClass, api::decode_priority_class>,
     apply_quietly<api::PriorityClass>},
};

// A delete. Also used for an object that can no longer be decoded, so that no decision uses
// its stale state. This excludes pods on nodes: their capacity is not free.
Result<Arrival> end_of(const client::Change& change) {
  auto meta = api::decode_meta(change.object.view());
  if (!meta) return std::unexpected(meta.error());
  Arrival arrival;
  arrival.deleted = true;
  arrival.meta = std::move(*meta);
  return arrival;
}

// Reads the fields of a pod that count its requests.
boost::json::object with_members(const boost::json::value* from,
                                 std::initializer_list<std::string_view> names) {
  boost::json::object out;
  const auto* members = from ? from->if_object() : nullptr;
  if (!members) return out;
  for (const auto name : names) {
    if (const auto* value = members->if_contains(name)) out[name] = *value;
  }
  return out;
}
boost::json::object requests_only(const boost::json::value& pod) {
  const auto& object = pod.as_object();
  auto spec = with_members(object.if_contains("spec"), {"nodeName", "overhead", "resources", "priority"});
  for (const auto name : {"containers", "initContainers"}) {
    const auto* list = pod.at("spec").as_object().if_contains(name);
    const auto* containers = list ? list->if_array() : nullptr;
    if (!containers) continue;
    boost::json::array reduced;
    for (const auto& container : *containers)
      reduced.push_back(with_members(&container, {"name", "resources", "restartPolicy"}));
    spec[name] = std::move(reduced);
  }
  return {{"metadata",
           with_members(object.if_contains("metadata"), {"name", "namespace", "uid", "resourceVersion"})},
          {"spec", std::move(spec)}};
}

// Null: the pod is not placed.
const boost::json::string* node_of(const boost::json::value& pod) {
  const auto* object = pod.if_object();
  const auto* spec = object ? object->if_contains("spec") : nullptr;
  const auto* node = spec && spec->is_object() ? spec->get_object().if_contains("nodeName") : nullptr;
  const auto* name = node ? node->if_string() : nullptr;
  return name && !name->empty() ? name : nullptr;
}

// Handles a placed pod that cannot be decoded completely.
std::optional<Arrival> damaged_pod(const boost::json::value& value, const cluster::RequestRules& rules) {
  if (!node_of(value)) return std::nullopt;
  auto meta = api::decode_meta(value);
  if (!meta) return std::nullopt;
  Arrival arrival;
  arrival.damaged = true;
  arrival.meta = std::move(*meta);
  if (auto pod = api::decode_pod(requests_only(value)))
    arrival.pod = cluster::make_pod_info(std::make_shared<const api::Pod>(std::move(*pod)), rules);
  return arrival;
}

// Of other kinds without data on the node, such as the one with the service account's token that each pod
// has, nothing reads even the name. They were a tenth of a pod.
void keep_read_volumes(std::vector<api::Volume>& volumes) {
  const auto is_unread = [](const api::Volume& volume) {
    return volume.kind == api::Volume::Kind::other && volume.id.empty();
  };
  if (std::erase_if(volumes, is_unread) > 0) volumes.shrink_to_fit();
}

Result<Arrival> arrive(const Kind& kind, const client::Change& change, const cluster::RequestRules& rules) {
  using Type = client::Change::Type;
  if (change.type == Type::deleted || change.type == Type::unreadable) {
    auto end = end_of(change);
    // Only its metadata can be read: it may be on a node.
    if (end && !kind.decode && change.type == Type::unreadable) {
      end->deleted = false;
      end->damaged = true;
    }
    return end;
  }
  Arrival arrival;
  if (!kind.decode) {
    auto pod = api::decode_pod(change.object.view());
    if (!pod) return std::unexpected(pod.error());
    keep_read_volumes(pod->volumes);
    arrival.pod = cluster::make_pod_info(std::make_shared<const api::Pod>(std::move(*pod)), rules);
  } else {
    auto object = kind.decode(change.object.view());
    if (!object) return std::unexpected(object.error());
    arrival.object = std::move(*object);
  }
  return arrival;
}

}  // namespace

struct ClusterFeed::Impl : std::enable_shared_from_this<Impl> {
  struct Source final : client::ReflectorHandler {
    Source(Impl& feed_, const Kind& kind_, client::Api& api)
        : feed(feed_),
          kind(kind_),
          reflector(api,
                    {.resource = kind_.resource,
                     .field_selector = kind_.field_selector,
                     .optional = kind_.optional},
                    *this) {}

    void changed(std::span<const client::Change> changes) override {
      std::vector<Arrival> arrivals;
      arrivals.reserve(changes.size());
      for (const auto& change : changes) {
        if (feed.tap) feed.tap(kind.resource, change);
        auto arrival = arrive(kind, change, feed.rules);
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
    const Kind& kind;
    client::Reflector reflector;
    std::atomic<std::size_t> waiting{0};    // changes that the scheduler has not applied
    std::atomic<std::uint64_t> applied{0};  // the resourceVersion of the last one that it has
    bool is_synced = false;                 // under feed.mutex
    std::optional<std::string> trouble;     // under feed.mutex
  };

  Impl(client::Api& api, cycle::Scheduler& scheduler_, const cluster::RequestRules& rules_,
       async::Gate& gate_, asio::any_io_executor io_, asio::any_io_executor strand_)
      : scheduler(scheduler_), rules(rules_), gate(gate_), io(std::move(io_)), strand(std::move(strand_)) {
    for (const auto& kind : kKinds) sources.push_back(std::make_unique<Source>(*this, kind, api));
    unsynced = sources.size();
  }

  void one_synced() {
    if (--unsynced == 0 && on_synced) on_synced();
  }

  cycle::Scheduler& scheduler;
  const cluster::RequestRules rules;
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
                         async::Gate& gate, asio::any_io_executor io, asio::any_io_executor strand)
    : impl_(std::make_shared<Impl>(api, scheduler, rules, gate, std::move(io), std::move(strand))) {}

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
