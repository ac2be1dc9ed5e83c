#include "unit/cost/scene.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <ctime>
#include <optional>
#include <type_traits>
#include <variant>

#include "api/decode/decode.h"
#include "api/values/device.h"
#include "explain/report/json.h"
#include "explain/report/project.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/config/load.h"
#include "scheduler/framework/decision.h"
#include "scheduler/framework/plugin.h"
#include "scheduler/framework/profile.h"

namespace podium::test::cost {
namespace {

constexpr std::string_view kOpen = "«", kClose = "»";

void append(std::string& out, std::string_view text, char mark, std::size_t index) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != mark) {
      out += text[i];
      continue;
    }
    const bool is_next = i + 1 < text.size() && text[i + 1] == '+';
    out += std::to_string(index + is_next);
    i += is_next;
  }
}

template <typename T, typename... Kinds>
constexpr bool is_one_of = (std::is_same_v<T, Kinds> || ...);
template <typename T>
constexpr bool is_in_snapshot =
    is_one_of<T, api::Namespace, api::PodDisruptionBudget, api::PersistentVolume, api::PersistentVolumeClaim,
              api::StorageClass, api::CsiNode, api::CsiDriver, api::CsiStorageCapacity, api::VolumeAttachment,
              api::ResourceSlice, api::DeviceClass, api::ResourceClaim>;

// The pod with less requested: the update that most hints listen to.
api::PodPtr without_cpu(const api::Pod& pod) {
  auto lowered = std::make_shared<api::Pod>(pod);
  lowered->containers.change_each([](api::Container& container) {
    std::erase_if(container.requests.write(), [](const auto& entry) { return entry.first == "cpu"; });
  });
  return lowered;
}

void see(World& world, const api::Object& object) {
  using framework::EventResource;
  const auto add = [&](EventResource resource, std::uint32_t actions, api::Object before, api::Object after) {
    // One event of a kind is enough.
    for (const auto& event : world.events) {
      if (event.resource == resource && event.actions == actions) return;
    }
    world.events.push_back({resource, actions, std::move(before), std::move(after)});
  };
  const auto added = [&](EventResource resource) { add(resource, framework::kAdd, {}, object); };
  const auto take = [&]<typename T>(const std::shared_ptr<const T>& known) {
    if constexpr (std::is_same_v<T, api::Pod>) {
      auto info = cluster::make_pod_info(known);
      if (known->node_name.empty()) return world.waiting.push_back(std::move(info));
      world.snapshot.add_pod(std::move(info));
      add(EventResource::assigned_pod, framework::kDelete, object, {});
      add(EventResource::assigned_pod, framework::kUpdate, object, without_cpu(*known));
    } else if constexpr (std::is_same_v<T, api::Node>) {
      world.snapshot.set_node(known);
      added(EventResource::node);
    } else if constexpr (std::is_same_v<T, api::Workload>) {
      world.snapshot.objects().set_workload(known);
    } else if constexpr (is_in_snapshot<T>) {
      world.snapshot.objects().set(known);
      if constexpr (std::is_same_v<T, api::ResourceClaim>) added(EventResource::resource_claim);
      if constexpr (std::is_same_v<T, api::ResourceSlice>) added(EventResource::resource_slice);
      if constexpr (std::is_same_v<T, api::DeviceClass>) added(EventResource::device_class);
      if constexpr (std::is_same_v<T, api::StorageClass>) added(EventResource::storage_class);
      if constexpr (std::is_same_v<T, api::PersistentVolume>) added(EventResource::persistent_volume);
      if constexpr (std::is_same_v<T, api::PersistentVolumeClaim>)
        added(EventResource::persistent_volume_claim);
    }
  };
  std::visit(
      [&](const auto& known) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(known)>, std::monostate>) take(known);
      },
      object);
}

void decode(const std::string& text, World& world) {
  boost::system::error_code problem;
  const auto json = boost::json::parse(text, problem);
  ASSERT_FALSE(problem) << problem.message() << ": " << text.substr(0, 2000);
  if (json.at("kind") == "ResourceQuota") {
    auto quota = api::decode_resource_quota(json);
    ASSERT_TRUE(quota) << quota.error().message;
    if (!world.admission.quotas) world.admission.quotas.emplace();
    return world.admission.quotas->push_back(std::move(*quota));
  }
  const auto object = api::decode_object(json);
  ASSERT_TRUE(object) << object.error().message;
  ASSERT_FALSE(std::holds_alternative<std::monostate>(*object)) << "not a kind that podium reads";
  see(world, *object);
}

const framework::Profile& profile() {
  static const auto config = config::load("", "default").value();
  return *config.profile("default-scheduler");
}

void decide(const World& world) {
  for (const auto& pod : world.waiting) {
    const auto decision = framework::evaluate(*pod, world.snapshot, profile());
    const auto status = explain::project(*pod, decision, world.snapshot);
    explain::content_hash(status);
    boost::json::serialize(explain::to_json(status));
    for (const auto& filter : profile().filters) {
      if (!filter.plugin) continue;
      for (const auto& hint : filter.plugin->hints()) {
        for (const auto& event : world.events) {
          if (hint.matches(event)) hint.helps(*pod, event, world.snapshot);
        }
      }
    }
  }
}

}  // namespace

std::string expand(std::string_view text, std::size_t n) {
  std::string out;
  while (true) {
    const auto open = text.find(kOpen), close = text.find(kClose);
    out += text.substr(0, open);
    if (open == std::string_view::npos) return out;
    const auto item = text.substr(open + kOpen.size(), close - open - kOpen.size());
    for (std::size_t i = 0; i < n; ++i) {
      if (i > 0) out += ',';
      append(out, item, '#', i);
    }
    text.remove_prefix(close + kClose.size());
  }
}

Texts expand(const std::vector<Doc>& docs, std::size_t n) {
  Texts out;
  for (const auto& doc : docs) {
    const auto text = expand(doc.text, n);
    for (std::size_t i = 0; i < (doc.each ? n : 1); ++i) append(out.emplace_back(), text, '$', i);
  }
  return out;
}

World world_of(const Texts& texts) {
  World world;
  for (const auto& text : texts) decode(text, world);
  return world;
}

Measured run(const Row& row, std::size_t n) {
  const auto texts = expand(row.docs, n);
  Measured out;
  for (const auto& text : texts) out.bytes += static_cast<std::int64_t>(text.size());
  profile();
  const auto began = std::clock();
  out.cost = cost_of([&] {
    std::optional<World> world;
    out.kept = cost_of([&] { world = world_of(texts); }).kept;
    decide(*world);
  });
  out.cpu_ms = 1000.0 * static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
  return out;
}

std::size_t largest(const Row& row) {
  constexpr std::size_t kBoundedByTheApi = 128, kHalf = 750'000, kMostObjects = 4'000;
  if (row.n <= kBoundedByTheApi) return row.n;
  std::size_t size = 0;  // of the largest document
  bool has_objects = false;
  for (const auto& doc : row.docs) {
    has_objects |= doc.each;
    size = std::max(size, expand(doc.text, row.n).size());
  }
  const auto n = row.n * kHalf / size;
  return has_objects ? std::min(n, kMostObjects / 2) : n;
}

}  // namespace podium::test::cost
