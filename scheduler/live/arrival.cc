#include "scheduler/live/arrival.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <initializer_list>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "api/decode/decode.h"
#include "client/watch/reflector.h"
#include "scheduler/live/recent.h"

namespace podium::live {
namespace {

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

// The fields of a pod that count its requests.
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

// Drops the volumes whose names nothing reads: those of other kinds without data on the node, such
// as the service account's token that each pod has. They took a tenth of a pod's memory.
void keep_read_volumes(api::SharedList<api::Volume>& volumes) {
  const auto is_unread = [](const api::Volume& volume) {
    return volume.kind == api::Volume::Kind::other && volume.id.empty();
  };
  if (std::ranges::none_of(volumes, is_unread)) return;
  auto& all = volumes.write();
  std::erase_if(all, is_unread);
  all.shrink_to_fit();
}

}  // namespace

Result<Arrival> end_of(const client::Change& change) {
  auto meta = api::decode_meta(change.object.view());
  if (!meta) return std::unexpected(meta.error());
  Arrival arrival;
  arrival.deleted = true;
  arrival.meta = std::move(*meta);
  return arrival;
}

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

Result<Arrival> arrive(const client::Change& change, DecodeObject decode, const cluster::RequestRules& rules,
                       Recent& recent) {
  using Type = client::Change::Type;
  if (change.type == Type::deleted || change.type == Type::unreadable) {
    auto end = end_of(change);
    // Only its metadata can be read: it may be on a node.
    if (end && !decode && change.type == Type::unreadable) {
      end->deleted = false;
      end->damaged = true;
    }
    return end;
  }
  Arrival arrival;
  if (!decode) {
    auto pod = api::decode_pod(change.object.view());
    if (!pod) return std::unexpected(pod.error());
    keep_read_volumes(pod->volumes);
    recent.pods.share(*pod);
    arrival.pod = cluster::make_pod_info(std::make_shared<const api::Pod>(std::move(*pod)), rules);
  } else {
    auto object = decode(change.object.view());
    if (!object) return std::unexpected(object.error());
    if (auto* node = std::get_if<api::NodePtr>(&*object)) *node = recent.nodes.shared(**node);
    arrival.object = std::move(*object);
  }
  return arrival;
}

}  // namespace podium::live
