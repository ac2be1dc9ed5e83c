#include "controller/recorder/decision_memory.h"

#include <boost/container_hash/hash.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <iterator>
#include <utility>

#include "base/heap_bytes.h"
#include "controller/report/metadata.h"

namespace podium {

// Only what-ifs have fixes, which this estimates by the size of their text.
template <>
struct OwnHeapBytes<boost::json::object> {
  static std::size_t of(const boost::json::object& object) { return boost::json::serialize(object).size(); }
};

namespace controller {
namespace {

constexpr std::size_t kEntryBytes = 768;    // keys, lists, sets and maps of an entry
constexpr std::size_t kDroppedAtOnce = 32;  // expired entries that a new decision drops under the lock
constexpr std::size_t kPassedOver = 256;    // expired entries that one list skips under the lock

std::string key_of_pod(const std::string& ns, const std::string& pod) { return ns + "/" + pod; }

std::uint64_t trace_hash(const std::string& key) { return boost::hash<std::string>()(key); }

}  // namespace

std::size_t bytes_of(const explain::ReportStatus& status) { return sizeof status + heap_bytes(status); }

void DecisionMemory::begin() {
  const std::lock_guard lock(mutex_);
  if (!began_) began_ = clock_.wall();
}

void DecisionMemory::remember(const std::string& ns, const std::string& pod, const std::string& uid,
                              const explain::ReportStatus& status) {
  auto decision = std::make_shared<const RememberedDecision>(RememberedDecision{ns, pod, uid, status});
  const auto bytes = kEntryBytes + bytes_of(status);
  const auto key = key_of_pod(ns, pod);
  Dropped dropped;
  const std::lock_guard lock(mutex_);
  const auto now = clock_.wall();
  if (!began_) began_ = now;
  drop(key, Absence::none, dropped);
  drop_expired(gone_, now, dropped);
  drop_expired(living_, now, dropped);
  auto& entry = entries_[key];
  entry.decision = std::move(decision);
  entry.bytes = bytes;
  entry.place = living_.insert(living_.end(), key);
  by_uid_[uid] = key;
  by_name_.insert(key);
  if (status.outcome != explain::kScheduled) waiting_.insert(key);
  bytes_ += bytes;
  while (bytes_ > options_.bytes && !entries_.empty()) {
    drop(std::string(gone_.empty() ? living_.front() : gone_.front()), Absence::evicted, dropped);
  }
}

void DecisionMemory::gone(std::string_view pod_uid) {
  const std::lock_guard lock(mutex_);
  const auto key = by_uid_.find(std::string(pod_uid));
  if (key == by_uid_.end()) return;
  auto& entry = entries_.find(key->second)->second;
  if (std::exchange(entry.is_gone, true)) return;
  gone_.splice(gone_.end(), living_, entry.place);
  waiting_.erase(key->second);
}

DecisionMemory::Found DecisionMemory::find(const std::string& ns, const std::string& pod) const {
  const auto key = key_of_pod(ns, pod);
  Found out;
  const std::lock_guard lock(mutex_);
  out.began = began_;
  if (!began_) {
    out.absence = Absence::not_begun;
  } else if (const auto it = entries_.find(key); it != entries_.end()) {
    const auto& decision = it->second.decision;
    const auto& expires = decision->status.expires_at;
    out.decided_at = decision->status.decided_at;
    if (expires && *expires <= clock_.wall()) {
      out.absence = Absence::expired;
    } else {
      out.decision = decision;
    }
  } else if (const auto trace = traces_.find(trace_hash(key)); trace != traces_.end()) {
    out.absence = trace->second.why;
    out.decided_at = trace->second.decided_at;
  } else {
    out.absence = has_lost_traces_ ? Absence::lost : Absence::never;
  }
  return out;
}

DecisionMemory::Listed DecisionMemory::list(const Query& query) const {
  const auto prefix = query.ns.empty() ? std::string() : query.ns + "/";
  Listed out;
  const std::lock_guard lock(mutex_);
  out.began = began_;
  const auto now = clock_.wall();
  const auto& keys = query.is_waiting_only ? waiting_ : by_name_;
  auto key = query.after < prefix ? keys.lower_bound(prefix) : keys.upper_bound(query.after);
  std::size_t passed_over = 0;
  for (; key != keys.end() && key->starts_with(prefix); ++key) {
    if (out.items.size() == query.limit || passed_over == kPassedOver) {
      out.next = *std::prev(key);
      break;
    }
    const auto& entry = entries_.find(*key)->second;
    const auto& expires = entry.decision->status.expires_at;
    if (expires && *expires <= now) {
      ++passed_over;
    } else {
      out.items.push_back({entry.decision, entry.is_gone});
    }
  }
  return out;
}

DecisionMemory::Counts DecisionMemory::counts() const {
  const std::lock_guard lock(mutex_);
  return {entries_.size(), bytes_};
}

// Without a trace for Absence::none: another decision takes its place.
void DecisionMemory::drop(const std::string& key, Absence why, Dropped& dropped) {
  const auto it = entries_.find(key);
  if (it == entries_.end()) return;
  auto& entry = it->second;
  const auto& decision = *entry.decision;
  if (why != Absence::none) leave_trace(key, {why, decision.status.decided_at.value_or(Wall{}), 0});
  if (const auto of_uid = by_uid_.find(decision.uid); of_uid != by_uid_.end()) by_uid_.erase(of_uid);
  (entry.is_gone ? gone_ : living_).erase(entry.place);
  by_name_.erase(key);
  waiting_.erase(key);
  bytes_ -= entry.bytes;
  dropped.push_back(std::move(entry.decision));
  entries_.erase(it);
}

void DecisionMemory::drop_expired(std::list<std::string>& keys, Wall now, Dropped& dropped) {
  for (std::size_t n = 0; n < kDroppedAtOnce && !keys.empty(); ++n) {
    const auto& expires = entries_.find(keys.front())->second.decision->status.expires_at;
    if (!expires || *expires > now) return;
    drop(std::string(keys.front()), Absence::expired, dropped);
  }
}

// A newer trace of the same pod replaces the older one, whose number in by_age_ is then stale.
void DecisionMemory::leave_trace(const std::string& key, Trace trace) {
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

}  // namespace controller
}  // namespace podium
