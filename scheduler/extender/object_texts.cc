#include "scheduler/extender/object_texts.h"

#include <boost/json/serialize.hpp>

#include "api/text/json_view.h"

namespace podium::extender {
namespace json = boost::json;
namespace {

std::string_view text_at(const json::value& object, std::string_view part, std::string_view name) {
  return api::text_of(api::member(api::member(&object, part), name));
}

}  // namespace

std::string text_of(const json::value& object) {
  json::value copy(object, json::storage_ptr());  // the object may use the memory of a watch batch
  if (auto* fields = copy.if_object()) {
    fields->erase("kind");  // lists do not have these, watch events do
    fields->erase("apiVersion");
    if (auto* meta = fields->if_contains("metadata"); meta && meta->is_object()) {
      meta->get_object().erase("managedFields");
    }
  }
  return json::serialize(copy);
}

void ObjectTexts::changed(const client::Resource& kind, const client::Change& change) {
  const bool is_pod = kind.plural == client::resource::pods.plural;
  if (!is_pod && !(wanted_.nodes && kind.plural == client::resource::nodes.plural)) return;
  const auto& object = change.object.view();
  const std::string key(text_at(object, "metadata", is_pod ? "uid" : "name"));
  const bool placed = is_pod && !text_at(object, "spec", "nodeName").empty();
  using Type = client::Change::Type;
  const bool drop =
      change.type == Type::deleted || change.type == Type::unreadable || (placed && !wanted_.placed_pods);
  Text text = drop ? nullptr : std::make_shared<const std::string>(text_of(object));
  auto& texts = is_pod ? pods_ : nodes_;
  const std::lock_guard lock(mutex_);
  if (drop) {
    texts.erase(key);
  } else {
    texts[key] = std::move(text);
  }
}

Text ObjectTexts::pod(const std::string& uid) const {
  const std::lock_guard lock(mutex_);
  const auto it = pods_.find(uid);
  return it == pods_.end() ? nullptr : it->second;
}

Text ObjectTexts::node(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto it = nodes_.find(name);
  return it == nodes_.end() ? nullptr : it->second;
}

}  // namespace podium::extender
