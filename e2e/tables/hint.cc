#include "e2e/tables/hint.h"

#include <boost/json/value.hpp>

#include <algorithm>
#include "api/decode.h"
#include "scheduler/framework/events.h"

namespace podium::tables {
namespace {

using boost::json::object;
using namespace framework;

Result<api::Object> read_object(const object& question, std::string_view side) {
  const auto* given = question.if_contains(side);
  if (!given || given->is_null()) return api::Object{};
  const auto& named = given->as_object();
  return api::decode_object(named.at("object"), named.at("apiVersion").as_string(),
                            named.at("kind").as_string());
}

template <typename T>
const T* held(const api::Object& object) {
  const auto* pointer = std::get_if<std::shared_ptr<const T>>(&object);
  return pointer ? pointer->get() : nullptr;
}

// As the feed of the live scheduler makes it of what the API server says.
ClusterEvent to_event(api::Object before, api::Object after, std::string_view hint) {
  ClusterEvent event{.before = std::move(before), .after = std::move(after)};
  const auto *old_pod = held<api::Pod>(event.before), *new_pod = held<api::Pod>(event.after);
  const auto *old_node = held<api::Node>(event.before), *new_node = held<api::Node>(event.after);
  if (old_pod || new_pod) {
    const auto* last = new_pod ? new_pod : old_pod;
    event.resource = last->node_name.empty() ? Resource::unscheduled_pod : Resource::assigned_pod;
  } else if (old_node || new_node || hint.find("Node") != hint.npos) {
    event.resource = Resource::node;
  } else {
    event.resource = Resource::assigned_pod;
  }
  if (old_pod && new_pod)
    event.actions = pod_changes(*old_pod, *new_pod);
  else if (old_node && new_node)
    event.actions = node_changes(*old_node, *new_node);
  else
    event.actions = new_pod || new_node ? kAdd : kDelete;
  return event;
}

}  // namespace

Result<object> answer_hint(const FilterPlugin& plugin, const object& question) {
  auto before = read_object(question, "old");
  if (!before) return std::unexpected(before.error());
  auto after = read_object(question, "new");
  if (!after) return std::unexpected(after.error());
  auto decoded = api::decode_pod(question.at("pod"));
  if (!decoded) return std::unexpected(decoded.error());
  const auto pod = cluster::make_pod_info(std::make_shared<const api::Pod>(std::move(*decoded)));
  const auto event = to_event(std::move(*before), std::move(*after), question.at("hint").as_string());

  const auto hints = plugin.hints();
  const auto helps = std::ranges::any_of(hints, [&](const EventHint& hint) {
    return hint.matches(event) && (!hint.helps || hint.helps(*pod, event));
  });
  return object{{"answer", helps ? "Queue" : "QueueSkip"}};
}

}  // namespace podium::tables
