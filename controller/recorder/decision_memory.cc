#include "controller/recorder/decision_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "base/heap_bytes.h"
#include "base/text_hash.h"
#include "controller/recorder/packed_status.h"
#include "controller/report/metadata.h"
#include "explain/report/main_rejection.h"
#include "metrics/samples.h"

namespace podium::controller {
namespace {

constexpr std::size_t kEntryBytes = 256;      // lists, sets and maps of an entry
constexpr std::size_t kDroppedTogether = 32;  // expired entries that a new decision drops under the lock
constexpr std::size_t kBlockedSeries = 1'000, kBlockedSeriesOfNamespace = 32;
constexpr std::size_t kPassedOver = 256;  // expired entries that one list skips under the lock

std::uint64_t trace_hash(std::string_view key) { return hash_text(key); }

}  // namespace

void DecisionMemory::begin() {
  const std::lock_guard lock(mutex_);
  if (!began_) began_ = clock_.wall();
}

void DecisionMemory::remember(const std::string& ns, const std::string& pod, const std::string& uid,
                              const explain::ReportStatus& status, std::string_view packed,
                              explain::PodAsksPtr asks, std::optional<Wall> created) {
  auto made = std::make_shared<Kept>(Kept{.ns_size = static_cast<std::uint32_t>(ns.size()),
                                          .key_size = static_cast<std::uint32_t>(ns.size() + 1 + pod.size()),
                                          .uid_size = static_cast<std::uint32_t>(uid.size()),
                                          .decided_at = status.decided_at,
                                          .expires_at = status.expires_at,
                                          .asks = std::move(asks),
                                          .created = created});
  made->text.reserve(made->key_size + made->uid_size + packed.size());
  made->text.append(ns).append("/").append(pod).append(uid).append(packed);
  KeptPtr decision = std::move(made);
  const auto bytes = kEntryBytes + sizeof(Kept) + heap_bytes(*decision) +
                     (decision->asks ? sizeof(explain::PodAsks) + heap_bytes(*decision->asks) : 0);
  const auto key = decision->key();
  std::optional<Blocked> blocked;
  if (status.outcome != explain::kScheduled) blocked = blocked_by(ns, status);
  Dropped dropped;
  const std::lock_guard lock(mutex_);
  const auto now = clock_.wall();
  if (!began_) began_ = now;
  const auto before = entries_.find(key);
  if (before == entries_.end() || before->second.is_gone || before->second.decision->uid() != uid)
    evictions_.note_successor({ns, pod});
  if (before != entries_.end()) drop(before->second, Absence::none, dropped);
  drop_expired(gone_, now, dropped);
  drop_expired(living_, now, dropped);
  auto& entry = entries_[key];
  entry.decision = std::move(decision);
  entry.bytes = bytes;
  living_.push_back(entry);
  join_namespace(entry);
  by_uid_.erase(entry.decision->uid());  // of an entry of another name: it may go first
  by_uid_.insert(entry.decision.get());
  if (blocked) {
    waiting_.insert(key);
    entry.blocked = blocked_.try_emplace(std::move(*blocked)).first;
    ++entry.blocked->second;
  }
  mark_victims(*entry.decision, status);
  bytes_ += bytes;
  count_change(ns);
  make_room(now, dropped);
}

// Later decisions repeat the victims, and a pod of such a name may be a new one: it waits.
void DecisionMemory::mark_victims(const Kept& decision, const explain::ReportStatus& status) {
  if (!status.preemption || status.choice) return;
  const auto& preempted = *status.preemption;
  for (const auto& victim : preempted.victims) {
    if (waiting_.contains(victim.text())) continue;
    evictions_.add(victim, {{decision.ns(), decision.pod()},
                            std::string(decision.uid()),
                            preempted.node,
                            preempted.decided_at ? preempted.decided_at : decision.decided_at});
  }
}

void DecisionMemory::recall(const std::string& ns, const std::string& pod, const std::string& uid,
                            const explain::Preempted& preempted) {
  const std::lock_guard lock(mutex_);
  for (const auto& victim : preempted.victims) {
    if (evictions_.find(victim) || entries_.contains(victim.text())) continue;
    evictions_.add(victim, {{ns, pod}, uid, preempted.node, preempted.decided_at});
  }
}

void DecisionMemory::count_change(const std::string& ns) {
  ++changes_;
  ++changes_of_[hash_text(ns) % changes_of_.size()];
}

// Begins with the time, so that another process has other versions.
std::string DecisionMemory::version(const std::string& ns) const {
  const std::lock_guard lock(mutex_);
  if (!began_) return {};
  const auto count = ns.empty() ? changes_ : changes_of_[hash_text(ns) % changes_of_.size()];
  return fmt::format("{:x}-{}", began_->time_since_epoch().count(), count);
}

void DecisionMemory::make_room(Wall now, Dropped& dropped) {
  while (bytes_ > options_.bytes && !entries_.empty()) {
    auto& oldest =
        gone_.empty() ? by_namespace_.find(by_size_.rbegin()->second)->second.living.front() : gone_.front();
    const bool is_expired = oldest.decision->is_expired(now);
    drop(oldest, is_expired ? Absence::expired : Absence::evicted, dropped);
  }
}

void DecisionMemory::gone(std::string_view pod_uid) {
  const std::lock_guard lock(mutex_);
  const auto of_uid = by_uid_.find(pod_uid);
  if (of_uid == by_uid_.end()) return;
  const auto key = (*of_uid)->key();
  auto& entry = entries_.find(key)->second;
  if (std::exchange(entry.is_gone, true)) return;
  count_change(entry.decision->ns());
  entry.gone_at = clock_.wall();
  leave_namespace(entry);
  living_.erase(living_.iterator_to(entry));
  gone_.push_back(entry);
  remove_waiting(key, entry);
}

DecisionMemory::Found DecisionMemory::find(const std::string& ns, const std::string& pod) const {
  Found out;
  KeptPtr kept;
  {
    const std::lock_guard lock(mutex_);
    kept = look_up({ns, pod}, out);
  }
  if (kept) out.decision = unpacked(*kept);
  return out;
}

// Fills in all of `out` but the decision. Returns that packed: it is unpacked without the lock.
DecisionMemory::KeptPtr DecisionMemory::look_up(const explain::NamespacedName& pod, Found& out) const {
  const auto key = pod.text();
  out.began = began_;
  if (const auto* eviction = evictions_.find(pod)) out.eviction = *eviction;
  if (!began_) {
    out.absence = Absence::not_begun;
  } else if (const auto it = entries_.find(key); it != entries_.end()) {
    const auto& decision = it->second.decision;
    out.decided_at = decision->decided_at;
    out.is_gone = it->second.is_gone;
    if (out.is_gone) out.gone_at = it->second.gone_at;
    if (!decision->is_expired(clock_.wall())) return decision;
    out.absence = Absence::expired;
  } else if (const auto trace = traces_.find(trace_hash(key)); trace != traces_.end()) {
    out.absence = trace->second.why;
    out.decided_at = trace->second.decided_at;
  } else {
    out.absence = has_lost_traces_ ? Absence::lost : Absence::never;
  }
  return nullptr;
}

std::shared_ptr<const RememberedDecision> DecisionMemory::unpacked(const Kept& kept) {
  return std::make_shared<const RememberedDecision>(RememberedDecision{
      kept.ns(), kept.pod(), std::string(kept.uid()), unpack(kept.packed()), kept.asks, kept.created});
}

void DecisionMemory::add_newest(const auto& entries, const Query& query, std::vector<Picked>& to) const {
  const auto prefix = query.ns.empty() ? std::string() : query.ns + "/";
  const auto now = clock_.wall();
  std::size_t found = 0, passed_over = 0;
  for (auto it = entries.rbegin(); it != entries.rend() && found < query.limit && passed_over < kPassedOver;
       ++it) {
    const auto& entry = *it;
    if (!entry.key().starts_with(prefix) || entry.decision->is_expired(now)) {
      ++passed_over;
      continue;
    }
    to.push_back({entry.decision, entry.is_gone});
    ++found;
  }
}

std::vector<DecisionMemory::Picked> DecisionMemory::newest(const Query& query) const {
  std::vector<Picked> out;
  if (query.ns.empty()) {
    add_newest(living_, query, out);
  } else if (const auto of = by_namespace_.find(query.ns); of != by_namespace_.end()) {
    add_newest(of->second.living, query, out);
  }
  add_newest(gone_, query, out);
  const auto decided = [](const Picked& item) { return item.decision->decided_at.value_or(Wall::min()); };
  std::ranges::stable_sort(out, std::ranges::greater(), decided);
  if (out.size() > query.limit) out.resize(query.limit);
  return out;
}

DecisionMemory::Listed DecisionMemory::list(const Query& query) const {
  Listed out;
  std::vector<Picked> picked;
  {
    const std::lock_guard lock(mutex_);
    out.began = began_;
    if (query.is_newest_first) {
      picked = newest(query);
    } else if (query.is_waiting_only) {
      picked = page(waiting_, query, out.next);
    } else {
      picked = page(entries_, query, out.next);
    }
  }
  for (const auto& [decision, is_gone] : picked) out.items.push_back({unpacked(*decision), is_gone});
  return out;
}

template <typename Names>
std::vector<DecisionMemory::Picked> DecisionMemory::page(const Names& keys, const Query& query,
                                                         std::string& next) const {
  const auto prefix = query.ns.empty() ? std::string() : query.ns + "/";
  std::vector<Picked> out;
  const auto now = clock_.wall();
  auto it = query.after < prefix ? keys.lower_bound(Key(prefix)) : keys.upper_bound(Key(query.after));
  std::size_t passed_over = 0;
  for (; it != keys.end() && key_of(*it).starts_with(prefix); ++it) {
    if (out.size() == query.limit || passed_over == kPassedOver) {
      next = std::string(key_of(*std::prev(it)));
      break;
    }
    const auto& entry = entries_.find(key_of(*it))->second;
    if (entry.decision->is_expired(now)) {
      ++passed_over;
    } else {
      out.push_back({entry.decision, entry.is_gone});
    }
  }
  return out;
}

DecisionMemory::Counts DecisionMemory::counts() const {
  const std::lock_guard lock(mutex_);
  return {entries_.size(), bytes_};
}

void DecisionMemory::sample_metrics(metrics::Samples& out) const {
  std::vector<std::pair<std::size_t, Blocked>> blocked;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [by, pods] : blocked_) blocked.emplace_back(pods, by);
    out.gauge("podium_decisions_remembered",
              "Decisions that are kept in memory for the [HTTPS API](http-api.md).", entries_.size());
    out.gauge("podium_decisions_remembered_bytes",
              "Approximate memory of these decisions; `httpAPI.memoryMiB` bounds it.", bytes_);
    out.counter(
        "podium_decisions_dropped_before_pod_total",
        "Decisions that were dropped to stay within `httpAPI.memoryMiB` before their pod was deleted, "
        "as far as podium has seen. The HTTPS API and `podium_blocked_pods` then lack the pod.",
        dropped_before_pod_);
  }
  auto& family = out.gauges(
      "podium_blocked_pods",
      "Pending pods, by the reason that `kubectl podium pending` names: its code as in reports, and "
      "the resource that is short. Counts the remembered decisions; beyond 1,000 series, or 32 of a "
      "namespace, one with the code `Other` sums up the smallest of each namespace.",
      {"namespace", "code", "resource"});
  std::ranges::stable_sort(blocked, std::greater(), &std::pair<std::size_t, Blocked>::first);
  // A namespace may name as many resources as it likes: the largest series of each one come first.
  std::map<std::string_view, std::size_t> of_namespace;
  std::vector<std::pair<std::size_t, std::size_t>> order;  // the place within the namespace, the index
  for (std::size_t i = 0; i < blocked.size(); ++i)
    order.emplace_back(of_namespace[blocked[i].second.front()]++, i);
  std::ranges::sort(order);
  std::size_t others = 0, series = 0;
  for (const auto& [place, i] : order) {
    const auto& [pods, by] = blocked[i];
    if (place < kBlockedSeriesOfNamespace && series++ < kBlockedSeries)
      family.add({by.begin(), by.end()}, pods);
    else
      others += pods;
  }
  if (others > 0) family.add({"", "Other", ""}, others);
}

DecisionMemory::Blocked DecisionMemory::blocked_by(const std::string& ns,
                                                   const explain::ReportStatus& status) {
  if (status.rejections.empty() || status.choice) return {ns, status.outcome, ""};
  const auto& main = *explain::main_rejection(status.rejections);
  return {ns, main.code, std::string(framework::named(main.about, framework::Topic::resource))};
}

void DecisionMemory::remove_waiting(Key key, const Entry& entry) {
  if (waiting_.erase(key) > 0 && --entry.blocked->second == 0) blocked_.erase(entry.blocked);
}

void DecisionMemory::join_namespace(Entry& entry) {
  const auto ns = entry.decision->ns();
  auto& of = by_namespace_[ns];
  of.living.push_back(entry);
  resize(ns, of, of.bytes + entry.bytes);
}

void DecisionMemory::leave_namespace(Entry& entry) {
  const auto it = by_namespace_.find(entry.decision->ns());
  auto& of = it->second;
  of.living.erase(of.living.iterator_to(entry));
  resize(it->first, of, of.bytes - entry.bytes);
  if (of.living.empty()) by_namespace_.erase(it);
}

void DecisionMemory::resize(const std::string& ns, OfNamespace& of, std::size_t bytes) {
  by_size_.erase({of.bytes, ns});
  of.bytes = bytes;
  if (bytes > 0) by_size_.emplace(bytes, ns);
}

// Leaves no trace for Absence::none: another decision takes its place.
void DecisionMemory::drop(Entry& entry, Absence why, Dropped& dropped) {
  const auto key = entry.key();
  const auto& decision = *entry.decision;
  if (why != Absence::none) {
    leave_trace(key, {why, decision.decided_at.value_or(Wall{}), 0});
    count_change(decision.ns());
  }
  if (const auto of_uid = by_uid_.find(decision.uid()); of_uid != by_uid_.end() && *of_uid == &decision)
    by_uid_.erase(of_uid);
  if (!entry.is_gone && why == Absence::evicted) ++dropped_before_pod_;
  if (!entry.is_gone) leave_namespace(entry);
  auto& list = entry.is_gone ? gone_ : living_;
  list.erase(list.iterator_to(entry));
  remove_waiting(key, entry);
  bytes_ -= entry.bytes;
  dropped.push_back(std::move(entry.decision));
  entries_.erase(entries_.find(key));
}

void DecisionMemory::drop_expired(List& entries, Wall now, Dropped& dropped) {
  for (std::size_t n = 0; n < kDroppedTogether && !entries.empty(); ++n) {
    if (!entries.front().decision->is_expired(now)) return;
    drop(entries.front(), Absence::expired, dropped);
  }
}

// A newer trace of the same pod replaces the older one, whose number in by_age_ is then stale.
void DecisionMemory::leave_trace(Key key, Trace trace) {
  const auto hash = trace_hash(key);
  trace.number = ++last_trace_;
  traces_[hash] = trace;
  by_age_.emplace_back(hash, trace.number);
  while (by_age_.size() > options_.traces) {
    const auto [oldest, number] = by_age_.front();
    by_age_.pop_front();
    const auto it = traces_.find(oldest);
    if (it == traces_.end() || it->second.number != number) continue;
    traces_.erase(it);
    has_lost_traces_ = true;
  }
}

}  // namespace podium::controller
