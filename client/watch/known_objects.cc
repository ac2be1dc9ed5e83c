#include "client/watch/known_objects.h"

#include <algorithm>
#include <utility>

#include "client/watch/reflector_state.h"

namespace podium::client {
namespace json = boost::json;
namespace {

std::string_view text(const json::object& object, std::string_view field) {
  const json::value* value = object.if_contains(field);
  const json::string* string = value ? value->if_string() : nullptr;
  return string ? std::string_view(*string) : std::string_view();
}

}  // namespace

bool KnownObjects::read_identity(const json::value& object, Identity& identity) {
  const json::object* top = object.if_object();
  const json::value* metadata = top ? top->if_contains("metadata") : nullptr;
  const json::object* meta = metadata ? metadata->if_object() : nullptr;
  if (!meta) return false;
  identity = {text(*meta, "namespace"), text(*meta, "name"), text(*meta, "uid"),
              version_number(text(*meta, "resourceVersion"))};
  return !identity.name.empty() && !identity.uid.empty();
}

// Items of a LIST have no apiVersion and kind; events do.
void KnownObjects::note_kind(const json::value& object) {
  if (!kind_.empty()) return;
  kind_ = text(object.as_object(), "kind");
  api_version_ = text(object.as_object(), "apiVersion");
}

void KnownObjects::begin_list(bool replace) {
  ++list_;
  listed_ = 0;
  listing_ = true;
  replace_ = replace;
  if (!replace) return;
  tombstones_.clear();
  tombstone_order_.clear();
}

void KnownObjects::end_list(std::string_view resource_version, std::vector<Change>& changes) {
  const auto version = version_number(resource_version);
  // By name: the order of the table differs from process to process.
  std::vector<std::string_view> missing;
  for (const auto& [key, known] : known_) {
    if (known.list != list_) missing.push_back(key);
  }
  std::ranges::sort(missing);
  for (const auto key : missing) {
    const auto it = known_.find(key);
    changes.push_back(missed_delete(it->first, it->second));
    // When replacing, its version may be of a discarded history: the object may return with a lower one.
    add_tombstone(it->second.uid.text(), replace_ ? version : std::max(version, it->second.version));
    known_.erase(it);
  }
  listing_ = replace_ = false;
  settled_ = version;
}

// True if the object is not newer than the known one of its name; an equal version is a duplicate. In a
// replacing list, versions of objects not listed yet cannot be compared.
bool KnownObjects::stale(const Known& known, const Identity& identity) const {
  if (replace_ && known.list != list_) return false;
  return identity.version != 0 && identity.version <= known.version;
}

// True if the event is from before the last list, so the object is already known or gone. Objects of a list
// may have any version.
bool KnownObjects::settled(const Identity& identity) const {
  return !listing_ && identity.version != 0 && identity.version <= settled_;
}

bool KnownObjects::upsert(json::value& object, std::vector<Change>& changes, bool readable) {
  Identity identity;
  if (!read_identity(object, identity)) return false;
  note_kind(object);
  if (settled(identity) || has_tombstone(identity)) return true;
  std::string key;
  key.reserve(identity.name_space.size() + 1 + identity.name.size());
  key.append(identity.name_space).append(1, '/').append(identity.name);
  auto [it, fresh] = known_.try_emplace(std::move(key));
  Known& known = it->second;
  const bool old = !fresh && stale(known, identity);
  PackedUid uid(identity.uid);
  const bool other = !fresh && known.uid != uid;
  if (listing_) listed_ += std::exchange(known.list, list_) != list_;
  if (old) return true;
  if (other) {
    changes.push_back(missed_delete(it->first, known));
    add_tombstone(known.uid.text(), std::max(identity.version, known.version));
  }
  if (fresh || other) known.uid = std::move(uid);
  known.version = identity.version;
  const bool news = fresh || other || !known.readable;
  known.readable = readable;
  changes.push_back({!readable ? Change::Type::unreadable
                     : news    ? Change::Type::added
                               : Change::Type::updated,
                     std::move(object)});
  return true;
}

bool KnownObjects::remove(json::value& object, std::vector<Change>& changes) {
  Identity identity;
  if (!read_identity(object, identity)) return false;
  note_kind(object);
  std::string key(identity.name_space);
  key.append(1, '/').append(identity.name);
  auto it = known_.find(key);
  const bool same = it != known_.end() && it->second.uid == PackedUid(identity.uid);
  // A stale DELETED: the object left the selector and has returned since.
  if (same && stale(it->second, identity) && identity.version != it->second.version) return true;
  // The delete of an older object of this name was dispatched when its successor came. The delete of a newer
  // one means that the known one was deleted before.
  const bool gone = it != known_.end() && (same || !stale(it->second, identity));
  add_tombstone(identity.uid, identity.version);
  if (!gone) return true;
  if (same) {
    changes.push_back({Change::Type::deleted, std::move(object)});
  } else {
    changes.push_back(missed_delete(it->first, it->second));
    add_tombstone(it->second.uid.text(), std::max(identity.version, it->second.version));
  }
  known_.erase(it);
  return true;
}

bool KnownObjects::has_tombstone(const Identity& identity) const {
  auto it = tombstones_.find(std::string(identity.uid));
  return it != tombstones_.end() && identity.version != 0 && identity.version <= it->second;
}

void KnownObjects::add_tombstone(std::string_view uid, std::uint64_t version) {
  auto [it, fresh] = tombstones_.try_emplace(std::string(uid), version);
  if (!fresh) {
    it->second = std::max(it->second, version);
    return;
  }
  tombstone_order_.emplace_back(uid);
  if (tombstone_order_.size() <= kTombstones) return;
  const auto oldest = tombstones_.find(tombstone_order_.front());
  if (!listing_) settled_ = std::max(settled_, oldest->second);
  tombstones_.erase(oldest);
  tombstone_order_.pop_front();
}

Change KnownObjects::missed_delete(std::string_view key, const Known& known) const {
  const auto slash = key.find('/');
  json::object metadata;
  if (slash > 0) metadata["namespace"] = key.substr(0, slash);
  metadata["name"] = key.substr(slash + 1);
  metadata["uid"] = known.uid.text();
  metadata["resourceVersion"] = std::to_string(known.version);
  json::object object;
  if (!kind_.empty()) {
    object["apiVersion"] = api_version_;
    object["kind"] = kind_;
  }
  object["metadata"] = std::move(metadata);
  return {Change::Type::deleted, json::value(std::move(object))};
}

}  // namespace podium::client
