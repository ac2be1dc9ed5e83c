#include "client/watch/known_objects.h"

#include <algorithm>

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

// The items of a LIST do not name their kind; events do.
void KnownObjects::note_kind(const json::value& object) {
  if (!kind_.empty()) return;
  kind_ = text(object.as_object(), "kind");
  api_version_ = text(object.as_object(), "apiVersion");
}

void KnownObjects::begin_list(bool replace) {
  ++list_;
  listing_ = true;
  replace_ = replace;
  if (!replace) return;
  tombs_.clear();
  tomb_order_.clear();
}

void KnownObjects::end_list(std::string_view resource_version, std::vector<Change>& changes) {
  const auto version = version_number(resource_version);
  for (auto it = known_.begin(); it != known_.end();) {
    if (it->second.list == list_) {
      ++it;
      continue;
    }
    changes.push_back(missed_delete(it->first, it->second));
    // Its own version may be one of a history that was undone: the object may come back with a lower one.
    bury(it->second.uid, replace_ ? version : std::max(version, it->second.version));
    known_.erase(it++);
  }
  listing_ = replace_ = false;
  settled_ = version;
}

// Is what comes older than what is known under its name? Equal versions are duplicates. In a list that
// replaces, versions mean nothing for the objects that it has not shown yet.
bool KnownObjects::stale(const Known& known, const Identity& identity) const {
  if (replace_ && known.list != list_) return false;
  return identity.version != 0 && identity.version <= known.version;
}

// Is it from before the last list, so that it is known already, or gone? An object of a list may be as old as
// it likes.
bool KnownObjects::settled(const Identity& identity) const {
  return !listing_ && identity.version != 0 && identity.version <= settled_;
}

bool KnownObjects::upsert(json::value& object, std::vector<Change>& changes, bool readable) {
  Identity identity;
  if (!read_identity(object, identity)) return false;
  note_kind(object);
  if (settled(identity) || buried(identity)) return true;
  std::string key;
  key.reserve(identity.name_space.size() + 1 + identity.name.size());
  key.append(identity.name_space).append(1, '/').append(identity.name);
  auto [it, fresh] = known_.try_emplace(std::move(key));
  Known& known = it->second;
  const bool old = !fresh && stale(known, identity);
  const bool other = !fresh && known.uid != identity.uid;
  if (listing_) known.list = list_;
  if (old) return true;
  if (other) {
    changes.push_back(missed_delete(it->first, known));
    bury(known.uid, std::max(identity.version, known.version));
  }
  if (fresh || other) known.uid = identity.uid;
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
  const bool same = it != known_.end() && it->second.uid == identity.uid;
  // Out of a selector and back in, in this order: the object is still there.
  if (same && stale(it->second, identity) && identity.version != it->second.version) return true;
  // The delete of an older object under this name has been told when its successor came; that of a newer one
  // means that the one we know went before it.
  const bool gone = it != known_.end() && (same || !stale(it->second, identity));
  bury(identity.uid, identity.version);
  if (!gone) return true;
  if (same) {
    changes.push_back({Change::Type::deleted, std::move(object)});
  } else {
    changes.push_back(missed_delete(it->first, it->second));
    bury(it->second.uid, std::max(identity.version, it->second.version));
  }
  known_.erase(it);
  return true;
}

bool KnownObjects::buried(const Identity& identity) const {
  auto it = tombs_.find(std::string(identity.uid));
  return it != tombs_.end() && identity.version != 0 && identity.version <= it->second;
}

void KnownObjects::bury(std::string_view uid, std::uint64_t version) {
  auto [it, fresh] = tombs_.try_emplace(std::string(uid), version);
  if (!fresh) {
    it->second = std::max(it->second, version);
    return;
  }
  tomb_order_.emplace_back(uid);
  if (tomb_order_.size() <= kTombs) return;
  const auto oldest = tombs_.find(tomb_order_.front());
  if (!listing_) settled_ = std::max(settled_, oldest->second);
  tombs_.erase(oldest);
  tomb_order_.pop_front();
}

Change KnownObjects::missed_delete(std::string_view key, const Known& known) const {
  const auto slash = key.find('/');
  json::object metadata;
  if (slash > 0) metadata["namespace"] = key.substr(0, slash);
  metadata["name"] = key.substr(slash + 1);
  metadata["uid"] = known.uid;
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
