#include "simulate/observers/claim_observer.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <set>

#include "simulate/protocol/route.h"
#include "simulate/server/resource_claims.h"

namespace podium::simulate {
namespace {

using namespace std::chrono_literals;

constexpr auto kDecisionTakes = 100ms;  // at most, from a decision to its first write
constexpr auto kPause = 75s;            // between two requests of one decision, at most

bool is_usable_on(const json::value& claim, const std::string& node) {
  return allocated_node(claim) == node && binding_of(claim) != Binding::failed;
}

std::string chain_of(const std::string& by, const Key& key) { return by + " " + key.text(); }

}  // namespace

void ClaimObserver::sent(const Host& host, const client::Request& request) {
  if (request.method == "GET" || request.target.find("/resourceclaims/") == std::string::npos) return;
  const auto route = parse_route(request.target);
  if (!route) return;
  auto& chain = chains_[chain_of(host.identity, route->key())];
  const auto now = agenda_.now();
  if (chain.first == Steady{} || now - chain.last > kPause) chain.first = now;
  chain.last = now;
}

void ClaimObserver::read(const std::string& identity, std::string_view objects) {
  note(known_, identity, objects);
}

void ClaimObserver::asked(const std::string& identity, std::string_view claim) {
  note(asked_, identity, claim);
}

void ClaimObserver::note(Known& known, const std::string& identity, std::string_view objects) const {
  for (const auto& [uid, allocated] : allocated_) {
    const auto at = find_words(objects, uid);
    if (at == objects.npos) continue;
    const auto key = fmt::format("{} {} {}", identity, uid, allocated.version);
    if (known.contains(key)) continue;
    const auto end = std::min(objects.find('\n', at), objects.size());
    const auto begin = objects.rfind('\n', at) + 1;
    const auto line = objects.substr(begin, end - begin);
    static constexpr std::string_view kAllocation = R"("allocation":{)", kVersion = R"("resourceVersion":")";
    const auto version = find_words(line, kVersion);
    if (find_words(line, kAllocation) == line.npos || version == line.npos) continue;
    if (std::stoull(std::string(line.substr(version + kVersion.size(), 20))) >= allocated.version)
      known[key] = agenda_.now();
  }
}

std::optional<ClaimObserver::Finding> ClaimObserver::committed(const Commit& commit, bool late) {
  const auto& claim = commit.after->value;
  const auto uid = uid_of(claim);
  auto devices = exclusive_devices(claim);
  auto found = taken(commit, late);
  if (is_engine(commit.by)) written_[uid][commit.by] = agenda_.now();
  if (commit.type == Commit::Type::deleted) gone_[commit.key.text()] = uid;
  if (commit.type == Commit::Type::deleted || devices.empty()) {
    allocated_.erase(uid);
    return found;
  }
  if (!find_at(claim, "/metadata/finalizers") && !found)
    found = Finding{fmt::format("{} is allocated without a finalizer", commit.key.text())};
  if (allocated_.contains(uid)) return found;
  const auto& made =
      allocated_[uid] = {std::move(devices), commit.by, commit.key.text(), commit.version, agenda_.now()};
  ++count_;
  return found ? found : doubly(commit, made, late);
}

// A device that another claim also has.
std::optional<ClaimObserver::Finding> ClaimObserver::doubly(const Commit& commit, const Allocated& made,
                                                            bool late) const {
  for (const auto& [uid, other] : allocated_) {
    if (&other == &made) continue;
    for (const auto& device : made.devices) {
      if (std::ranges::find(other.devices, device) == other.devices.end()) continue;
      const bool unknown =
          other.by != commit.by && !knew(known_, commit.by, uid, other.version, commit.after->value);
      return Finding{fmt::format("{} gives {} to {}, and {} gave it to {}", commit.by, device, made.name,
                                 other.by, other.name),
                     late || unknown};
    }
  }
  return std::nullopt;
}

// A claim that podium takes from a running pod.
std::optional<ClaimObserver::Finding> ClaimObserver::taken(const Commit& commit, bool late) {
  if (!is_engine(commit.by) || commit.type != Commit::Type::modified) return std::nullopt;
  for (const auto& uid : users_of(commit.before->value)) {
    if (is_reserved_for(commit.after->value, uid)) continue;
    const auto pod = pod_of(uid, commit.key.ns);
    if (!pod || is_finished(pod->value) || text_at(pod->value, "/spec/nodeName").empty()) continue;
    const auto binder = binders_.find(uid);
    const bool another = another_wrote(uid_of(commit.after->value), commit.by) ||
                         (binder != binders_.end() && binder->second != commit.by);
    if (late || another) robbed_.insert(uid);
    return Finding{
        fmt::format("{} takes {} from {}, which runs", commit.by, commit.key.text(), full_name(pod->value)),
        late || another};
  }
  return std::nullopt;
}

// True if the engine had read the allocation before it decided on this claim.
bool ClaimObserver::knew(const Known& by_what, const std::string& by, const std::string& uid, Version version,
                         const json::value& claim) const {
  const auto known = by_what.find(fmt::format("{} {} {}", by, uid, version));
  return known != by_what.end() && known->second + kDecisionTakes < decided_on_users(by, claim);
}

// The time of its first write of a claim of these pods: one decision covers all claims of a pod.
Steady ClaimObserver::decided_on_users(const std::string& by, const json::value& claim) const {
  const auto ns = text_at(claim, "/metadata/namespace");
  std::set<std::string> names{text_at(claim, "/metadata/name")};
  for (const auto& uid : users_of(claim)) {
    const auto pod = pod_of(uid, ns);
    const auto of_pod = pod ? claim_names(pod->value) : std::nullopt;
    if (of_pod) names.insert(of_pod->begin(), of_pod->end());
  }
  return first_write(by, ns, names);
}

Steady ClaimObserver::decided(const std::string& by, const json::value& pod) const {
  const auto names = claim_names(pod);
  if (!names) return agenda_.now();
  return first_write(by, text_at(pod, "/metadata/namespace"), {names->begin(), names->end()});
}

// The first request of the recent writes of these claims; now, if there are none.
Steady ClaimObserver::first_write(const std::string& by, const std::string& ns,
                                  const std::set<std::string>& names) const {
  auto first = agenda_.now();
  for (const auto& name : names) {
    const auto chain = chains_.find(chain_of(by, {std::string(kClaims), ns, name}));
    if (chain != chains_.end() && agenda_.now() - chain->second.last < kPause)
      first = std::min(first, chain->second.first);
  }
  return first;
}

StoredPtr ClaimObserver::pod_of(const std::string& uid, const std::string& ns) const {
  for (auto& pod : store_.all("pods", ns)) {
    if (uid_of(pod->value) == uid) return pod;
  }
  return nullptr;
}

std::optional<ClaimObserver::Finding> ClaimObserver::bound(const json::value& pod, const std::string& by,
                                                           bool late, Steady decided) {
  if (!find_at(pod, "/spec/resourceClaims")) return std::nullopt;
  binders_[uid_of(pod)] = by;
  const auto node = text_at(pod, "/spec/nodeName"), ns = text_at(pod, "/metadata/namespace");
  const auto names = claim_names(pod);
  if (!names) return Finding{fmt::format("{} is bound before its claims are made", full_name(pod))};
  for (const auto& name : *names) {
    const Key key{std::string(kClaims), ns, name};
    const auto claim = store_.find(key);
    const auto gone = gone_.find(key.text());
    const auto uid = claim ? uid_of(claim->value) : gone != gone_.end() ? gone->second : "";
    const bool another = another_wrote(uid, by, decided);
    const auto wrong = [&](std::string_view what) {
      if (late || another) robbed_.insert(uid_of(pod));
      return Finding{fmt::format("{} is bound to {}, and its claim {} {}", full_name(pod), node, name, what),
                     late || another};
    };
    if (!claim) return wrong("is not there");
    if (!is_reserved_for(claim->value, uid_of(pod))) return wrong("is not reserved for it");
    if (allocated_node(claim->value) != node) return wrong("is allocated on " + allocated_node(claim->value));
    if (binding_of(claim->value) == Binding::ready) continue;
    const bool failed = binding_of(claim->value) == Binding::failed;
    const auto made = allocated_.find(uid);
    const auto knew_by = [&](const Known& what) {
      return knew(what, by, uid, made->second.version, claim->value);
    };
    const bool knows =
        made == allocated_.end() || made->second.by == by || knew_by(known_) || knew_by(asked_);
    return Finding{fmt::format("{} is bound to {}, and a device of its claim {} {}", full_name(pod), node,
                               name, failed ? "failed" : "is not ready"),
                   late || !knows};
  }
  return std::nullopt;
}

bool ClaimObserver::another_wrote(const std::string& uid, const std::string& by, Steady since) const {
  const auto written = written_.find(uid);
  if (written == written_.end()) return false;
  const auto own = written->second.find(by);
  return std::ranges::any_of(written->second, [&](const auto& entry) {
    const bool is_last = own == written->second.end() || entry.second > own->second;
    return entry.first != by && (is_last || entry.second >= since);
  });
}

// --- at rest ---

// True if a DeviceTaintRule taints the device.
bool ClaimObserver::is_tainted(const json::value& slice, const std::string& device) const {
  return std::ranges::any_of(store_.all(kTaintRules), [&](const StoredPtr& rule) {
    const auto* selector = find_at(rule->value, "/spec/deviceSelector");
    const auto selects = [&](const char* field, const std::string& value) {
      return !find_at(*selector, field) || text_at(*selector, field) == value;
    };
    return selector && text_at(rule->value, "/spec/taint/effect") != "None" &&
           selects("/driver", text_at(slice, "/spec/driver")) &&
           selects("/pool", text_at(slice, "/spec/pool/name")) && selects("/device", device);
  });
}

// The devices of the node's pool without those of other claims. An incomplete pool has none.
std::int64_t ClaimObserver::free_devices(const std::string& node,
                                         const std::vector<std::string>& with) const {
  std::int64_t newest = 0, parts = 0, wanted = 0;
  for (const auto& slice : store_.all("resourceslices"))
    if (text_at(slice->value, "/spec/nodeName") == node)
      newest = std::max(newest, number_at(slice->value, "/spec/pool/generation"));
  std::set<std::string> free;
  for (const auto& slice : store_.all("resourceslices")) {
    if (text_at(slice->value, "/spec/nodeName") != node) continue;
    if (number_at(slice->value, "/spec/pool/generation") != newest) continue;
    ++parts;
    wanted = number_at(slice->value, "/spec/pool/resourceSliceCount");
    for (const auto& device : slice->value.at("spec").at("devices").as_array()) {
      if (find_at(device, "/taints") || is_tainted(slice->value, text_at(device, "/name"))) continue;
      free.insert(fmt::format("{}/{}/{}", kDriver, node, text_at(device, "/name")));
    }
  }
  if (parts != wanted) return 0;
  for (const auto& [uid, allocated] : allocated_) {
    for (const auto& device : allocated.devices) {
      if (std::ranges::find(with, device) == with.end()) free.erase(device);
    }
  }
  return static_cast<std::int64_t>(free.size());
}

bool ClaimObserver::may_be_tried(const json::value& pod) const {
  const auto names = claim_names(pod);
  const auto ns = text_at(pod, "/metadata/namespace");
  return names && std::ranges::all_of(*names, [&](const std::string& name) {
           const auto claim = store_.find({std::string(kClaims), ns, name});
           return claim && !is_leaving(claim->value) && !is_foreign(claim->value, pod);
         });
}

bool ClaimObserver::is_being_made_ready(const json::value& claim) const {
  const auto made = allocated_.find(uid_of(claim));
  return made != allocated_.end() && agenda_.now() - made->second.at < kToReady && has_conditions(claim);
}

bool ClaimObserver::is_any_being_made_ready() const {
  return std::ranges::any_of(store_.all(kClaims),
                             [this](const auto& claim) { return is_being_made_ready(claim->value); });
}

// The search for unallocated claims comes first: if that fails, no other claim is checked.
bool ClaimObserver::meets_held_claim(const json::value& pod, const json::value& node) const {
  const auto on = text_at(node, "/metadata/name"), ns = text_at(pod, "/metadata/namespace");
  std::int64_t asked = 0;
  bool met = false;
  for (const auto& name : claim_names(pod).value_or(std::vector<std::string>())) {
    const auto claim = store_.find({std::string(kClaims), ns, name});
    if (!claim) return false;
    if (exclusive_devices(claim->value).empty()) {
      asked += devices_asked(claim->value);
    } else {
      met |= !is_usable_on(claim->value, on);
    }
  }
  return met && (asked == 0 || asked <= free_devices(on, {}));
}

ClaimObserver::Fit ClaimObserver::fits(const json::value& pod, const json::value& node) const {
  if (!find_at(pod, "/spec/resourceClaims")) return Fit::yes;
  if (!may_be_tried(pod)) return Fit::no;
  const auto names = claim_names(pod);
  const auto on = text_at(node, "/metadata/name"), ns = text_at(pod, "/metadata/namespace");
  std::int64_t asked = 0;
  std::vector<std::string> its;  // devices of its claims that it may give back
  for (const auto& name : *names) {
    const auto claim = store_.find({std::string(kClaims), ns, name});
    if (is_being_made_ready(claim->value)) return Fit::no;  // its pod is about to be bound
    const auto devices = exclusive_devices(claim->value);
    if (!devices.empty() && is_usable_on(claim->value, on)) continue;
    const auto users = users_of(claim->value);
    const bool may_lose_it = users.empty() || (users.size() == 1 && users.front() == uid_of(pod));
    if (!devices.empty() && !may_lose_it) return Fit::no;
    its.insert(its.end(), devices.begin(), devices.end());
    asked += devices_asked(claim->value);
  }
  if (asked > 0 && asked > free_devices(on, its)) return Fit::no;
  return its.empty() ? Fit::yes : Fit::once_given_back;
}

std::optional<std::string> ClaimObserver::unfinished() const {
  for (const auto& claim : store_.all(kClaims)) {
    if (binding_of(claim->value) == Binding::pending && !is_being_made_ready(claim->value))
      return fmt::format("a device of {} is not ready", full_name(claim->value));
    for (const auto& uid : users_of(claim->value)) {
      if (!pod_of(uid, text_at(claim->value, "/metadata/namespace")))
        return fmt::format("claim {} is reserved for a pod that is gone", full_name(claim->value));
    }
  }
  for (const auto& pod : store_.all("pods")) {
    if (text_at(pod->value, "/spec/nodeName").empty() || is_finished(pod->value) || is_leaving(pod->value))
      continue;
    const auto names = claim_names(pod->value);
    for (const auto& name : names.value_or(std::vector<std::string>())) {
      const auto claim =
          store_.find({std::string(kClaims), text_at(pod->value, "/metadata/namespace"), name});
      const bool is_its = claim && is_reserved_for(claim->value, uid_of(pod->value));
      if (is_its && binding_of(claim->value) == Binding::ready) continue;
      if (robbed_.contains(uid_of(pod->value))) continue;
      return fmt::format("{} runs without its claim {}", full_name(pod->value), name);
    }
  }
  return std::nullopt;
}

}  // namespace podium::simulate
