#include "simulate/server/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <utility>

#include "base/time.h"

namespace podium::simulate {

namespace {

json::object& metadata_of(json::value& object) {
  auto& metadata = object.as_object()["metadata"];
  if (!metadata.is_object()) metadata = json::object();
  return metadata.get_object();
}

// podium reads the time of a report's last write from it.
void sign(const Key& key, const std::string& by, Wall now, json::object& metadata) {
  if (key.plural != "schedulingreports") return;
  const auto manager = is_engine(by) ? "podium" : by;
  metadata["managedFields"] =
      json::array{{{"manager", manager}, {"operation", "Update"}, {"time", format_time(now)}}};
}

// Looks up a key only where the order differs: the == of Boost looks up each, a thirtieth of a life.
bool equal_objects(const json::object& a, const json::object& b) {
  if (a.size() != b.size()) return false;
  auto next = b.begin();
  for (const auto& [key, value] : a) {
    const auto* other = next->key() == key ? &next->value() : b.if_contains(key);
    ++next;
    if (!other || !equal(value, *other)) return false;
  }
  return true;
}

bool same(const json::value& a, const json::value& b, const char* field) {
  const auto* left = a.as_object().if_contains(field);
  const auto* right = b.as_object().if_contains(field);
  return left && right ? equal(*left, *right) : left == right;
}

}  // namespace

bool equal(const json::value& a, const json::value& b) {
  if (a.is_object() && b.is_object()) return equal_objects(a.get_object(), b.get_object());
  if (a.is_array() && b.is_array()) return std::ranges::equal(a.get_array(), b.get_array(), equal);
  return a == b;
}

const std::string& Stored::text() const {
  if (text_.empty()) text_ = json::serialize(value);
  return text_;
}

StoredPtr Store::find(const Key& key) const {
  const auto it = objects_.find(key);
  return it == objects_.end() ? nullptr : it->second;
}

std::vector<StoredPtr> Store::all(std::string_view plural, std::string_view ns) const {
  std::vector<StoredPtr> out;
  for (auto it = objects_.lower_bound({std::string(plural), std::string(ns), ""});
       it != objects_.end() && it->first.plural == plural; ++it) {
    if (!ns.empty() && it->first.ns != ns) break;
    out.push_back(it->second);
  }
  return out;
}

StoredPtr Store::create(const Key& key, json::value object, const std::string& by) {
  auto& metadata = metadata_of(object);
  metadata["name"] = key.name;
  if (!key.ns.empty()) metadata["namespace"] = key.ns;
  metadata["uid"] = fmt::format("00000000-0000-4000-8000-{:012}", ++uids_);
  metadata["generation"] = 1;
  metadata["creationTimestamp"] = format_time(clock_.wall());
  sign(key, by, clock_.wall(), metadata);
  return commit(Commit::Type::added, key, nullptr, std::move(object), by);
}

StoredPtr Store::update(const Key& key, json::value object, const std::string& by) {
  const auto before = objects_.at(key);
  if (equal(object, before->value)) return before;
  auto& metadata = metadata_of(object);
  if (!same(object, before->value, "spec"))
    metadata["generation"] = number_at(before->value, "/metadata/generation") + 1;
  sign(key, by, clock_.wall(), metadata);
  return commit(Commit::Type::modified, key, before, std::move(object), by);
}

void Store::remove(const Key& key, const std::string& by) {
  const auto before = objects_.at(key);
  commit(Commit::Type::deleted, key, before, before->value, by);
}

const std::deque<Commit>& Store::history(std::string_view plural) const {
  static const std::deque<Commit> none;
  const auto of_kind = history_.find(plural);
  return of_kind == history_.end() ? none : of_kind->second;
}

void Store::compact() {
  history_.clear();
  compacted_ = version_;
}

StoredPtr Store::commit(Commit::Type type, const Key& key, StoredPtr before, json::value object,
                        const std::string& by) {
  metadata_of(object)["resourceVersion"] = std::to_string(++version_);
  auto after = std::make_shared<const Stored>(std::move(object));
  if (type == Commit::Type::deleted) {
    objects_.erase(key);
  } else {
    objects_[key] = after;
  }
  const Commit made{version_, type, key, std::move(before), after, by};
  history_[key.plural].push_back(made);
  for (const auto& listener : listeners_) listener(made);
  return after;
}

}  // namespace podium::simulate
