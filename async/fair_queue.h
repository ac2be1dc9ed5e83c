// FairQueue: a bounded work queue that is fair between namespaces.
//
// Items have a key. push() of a key that is queued replaces the value and keeps its position; a T with
// replaces(T&& old) may merge the old one. While an item of a key is in progress, the key's next value waits.
// take() goes round-robin by namespace, oldest first within one. A lane precedes those below it, which still
// get one turn in lower_lanes_every; lane 0 is the first.
//
// finish() reports the Outcome. A retry backs off the item, its namespace, or the whole queue. After one of
// the latter two, a single item goes first as a probe; the others follow when it has succeeded.
//
// Bounds: `capacity` in total and `per_namespace`. When full, push() refuses, or evicts the oldest item: of
// the pushing namespace if that is full, of the largest one if the queue is; items that back off first, then
// those of the lowest lane. Retries are always accepted, so the queue holds at most capacity
// + items in progress.
//
// Owner: async::Writers, or one thread. Threads: not thread-safe. Time is passed in and never goes back.
// Errors: none.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "async/fair_queue_options.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/random.h"
#include "base/text_hash.h"

namespace podium::async {

template <typename T>
class FairQueue {
 public:
  static constexpr unsigned kLanes = 3;
  enum class Pushed { queued, replaced, refused };

  // An item in progress; returned to finish() with its outcome.
  struct Taken {
    std::string ns, key;
    T value;
    unsigned lane = 0, tries = 0;  // tries before this one
    Steady since{};                // when it was pushed
    std::uint64_t sequence = 0;
    Outcome outcome = Outcome::done;
    std::chrono::milliseconds at_least{0};  // lower bound of the backoff, from Retry-After; at most `longest`
  };

  FairQueue(FairQueueOptions options, Random& random) : options_(options), random_(random) {}

  Pushed push(const std::string& ns, const std::string& key, T value, unsigned lane, Steady now) {
    now_ = now;
    if (const auto it = items_.find(key); it != items_.end() && it->second.value) {
      replace(it->second, std::move(value), lane);
      return Pushed::replaced;
    }
    if (!has_capacity(ns)) {
      ++dropped_;  // this item, or the one evicted for it
      if (options_.refuse_when_full || !evict_one(ns)) return Pushed::refused;
    }
    const auto it = items_.try_emplace(key).first;
    Item& item = it->second;
    if (!item.flow) {
      const auto flow = flows_.try_emplace(ns).first;
      flow->second.ns = &flow->first;
      item.flow = &flow->second;
      item.key = &it->first;
    }
    item.forgotten = false;
    fill(item, std::move(value), lane, now, ++last_sequence_);
    if (item.state != State::busy) make_ready(item);
    refresh(*item.flow);
    return Pushed::queued;
  }

  // At most `most` items, round-robin by namespace.
  std::vector<Taken> take(Steady now, std::size_t most) {
    now_ = now;
    std::vector<Taken> out;
    while (!wakes_.empty() && wakes_.begin()->first <= now) refresh(*wakes_.begin()->second);
    if (now < paused_until_) return out;
    if (failures_ > 0) most = busy_ == 0 ? std::min<std::size_t>(most, 1) : 0;
    while (out.size() < most) {
      const auto lane = next_lane();
      if (!lane) break;
      Flow& flow = *turns_[*lane].front();
      turns_[*lane].splice(turns_[*lane].end(), turns_[*lane], turns_[*lane].begin());
      Item& item = *flow.ready[*lane].begin()->second;
      flow.ready[*lane].erase(flow.ready[*lane].begin());
      out.push_back(
          {*flow.ns, *item.key, std::move(*item.value), item.lane, item.tries, item.since, item.sequence});
      item.value.reset();
      item.state = State::busy;
      --flow.waiting, --waiting_, ++flow.busy, ++busy_;
      refresh(flow);
    }
    return out;
  }

  // Once for each item taken.
  void finish(Taken taken, Steady now) {
    now_ = now;
    const auto found = items_.find(taken.key);
    PODIUM_CHECK(found != items_.end() && found->second.state == State::busy, taken.key);
    Item& item = found->second;
    Flow& flow = *item.flow;
    --flow.busy, --busy_;
    item.state = State::idle;
    const auto outcome = taken.outcome;
    if (outcome == Outcome::done || outcome == Outcome::failed) {
      ++(outcome == Outcome::done ? done_ : failed_);
      flow.failures = failures_ = 0;
      flow.held_until = paused_until_ = Steady::min();
      if (item.value) make_ready(item);
    } else if (outcome == Outcome::dropped) {
      ++dropped_;
      if (item.value) make_ready(item);
    } else {
      if (outcome == Outcome::retry_namespace) {
        hold(flow.failures, flow.held_until, options_.of_namespace, taken.at_least);
        drop_aged(flow);
      }
      if (outcome == Outcome::retry_all) hold(failures_, paused_until_, options_.all, taken.at_least);
      requeue(item, std::move(taken));
    }
    erase_if_idle(item);
    refresh(flow);
  }

  // Drops the waiting value of a key; an item in progress is not retried.
  void forget(const std::string& key) {
    const auto it = items_.find(key);
    if (it == items_.end()) return;
    Flow& flow = *it->second.flow;
    it->second.forgotten = true;
    if (it->second.value) remove(it->second);
    refresh(flow);
  }

  // Drops the waiting value of a key if `is_void(value)`. A value in progress continues.
  template <typename F>
  void forget_if(const std::string& key, F&& is_void) {
    const auto it = items_.find(key);
    if (it == items_.end() || !it->second.value || !is_void(*it->second.value)) return;
    Flow& flow = *it->second.flow;
    remove(it->second);
    refresh(flow);
  }

  // For a stop: ends all backoffs; items that fail from now on are dropped.
  void flush_now(Steady now) {
    now_ = now;
    flushing_ = true;
    paused_until_ = Steady::min();
    for (auto it = flows_.begin(); it != flows_.end();) {
      Flow& flow = it++->second;  // refresh() may erase it
      flow.held_until = Steady::min();
      for (auto& [at, item] : std::exchange(flow.delayed, {})) make_ready(*item);
      refresh(flow);
    }
  }

  // Drops all waiting values.
  void clear() {
    drop_if([](const T&) { return true; });
  }

  // Drops the waiting values for which `is_dropped(value)` is true.
  template <typename F>
  void drop_if(F&& is_dropped) {
    std::vector<Item*> some;
    for (auto& [key, item] : items_) {
      if (item.value && is_dropped(*item.value)) some.push_back(&item);
    }
    for (auto* item : some) {
      Flow& flow = *item->flow;
      remove(*item);
      refresh(flow);
    }
    dropped_ += some.size();
  }

  // The time at which take() returns the next item, unless something else happens first; may be past.
  // nullopt: not before a push() or finish().
  std::optional<Steady> next_ready() const {
    if (failures_ > 0 && busy_ > 0) return std::nullopt;
    if (std::ranges::any_of(turns_, has_turns)) return std::max(now_, paused_until_);
    if (waiting_ == 0 || wakes_.empty()) return std::nullopt;
    return std::max(wakes_.begin()->first, paused_until_);
  }

  // Waits; may be in progress as well.
  bool contains(const std::string& key) const {
    const auto it = items_.find(key);
    return it != items_.end() && it->second.value;
  }
  bool holds(const std::string& key) const { return items_.contains(key); }  // waits or is in progress
  std::size_t waiting() const { return waiting_; }
  std::size_t busy() const { return busy_; }
  std::size_t namespaces() const { return flows_.size(); }
  std::uint64_t done() const { return done_; }
  std::uint64_t failed() const { return failed_; }
  // Refused, evicted, retried too often, not tried, or at a stop.
  std::uint64_t dropped() const { return dropped_; }

 private:
  struct Item;
  enum class State { idle, ready, delayed, busy };

  // The items of one namespace.
  struct Flow {
    const std::string* ns = nullptr;
    std::array<std::map<std::uint64_t, Item*>, kLanes> ready;   // by sequence
    std::map<std::pair<Steady, std::uint64_t>, Item*> delayed;  // by time and sequence
    // Waiting items that are not in the maps wait for their key's item in progress.
    std::size_t waiting = 0, busy = 0;
    unsigned failures = 0;  // since the last success
    Steady held_until = Steady::min();
    std::array<std::optional<typename std::list<Flow*>::iterator>, kLanes> turn;
    std::optional<Steady> wake;  // its entry in wakes_
  };

  // Flows with equal times are ordered by name, not by address, so that a run can be repeated.
  using Wake = std::pair<Steady, Flow*>;
  struct Sooner {
    bool operator()(const Wake& a, const Wake& b) const {
      return std::tie(a.first, *a.second->ns) < std::tie(b.first, *b.second->ns);
    }
  };

  struct Item {
    Flow* flow = nullptr;
    const std::string* key = nullptr;
    std::optional<T> value;  // nullopt: only in progress
    State state = State::idle;
    unsigned lane = 0, tries = 0;
    Steady since{}, ready_at{};
    std::uint64_t sequence = 0;
    bool forgotten = false;
  };

  // --- waiting items ---

  void fill(Item& item, T value, unsigned lane, Steady since, std::uint64_t sequence) {
    item.value = std::move(value);
    item.lane = std::min(lane, kLanes - 1);
    item.tries = 0;
    item.since = since;
    item.sequence = sequence;
    ++item.flow->waiting, ++waiting_;
  }

  void make_ready(Item& item) {
    item.state = State::ready;
    item.flow->ready[item.lane].emplace(item.sequence, &item);
  }

  void replace(Item& item, T value, unsigned lane) {
    if constexpr (requires { value.replaces(std::move(value)); }) value.replaces(std::move(*item.value));
    item.value = std::move(value);
    item.tries = 0;
    if (lane >= item.lane) return;
    const bool ready = item.state == State::ready;
    if (ready) item.flow->ready[item.lane].erase(item.sequence);
    item.lane = lane;
    if (ready) make_ready(item);
    refresh(*item.flow);
  }

  // Removes the waiting value. The caller must call refresh() on the flow.
  void remove(Item& item) {
    if (item.state == State::ready) item.flow->ready[item.lane].erase(item.sequence);
    if (item.state == State::delayed) item.flow->delayed.erase({item.ready_at, item.sequence});
    if (item.state != State::busy) item.state = State::idle;
    item.value.reset();
    --item.flow->waiting, --waiting_;
    erase_if_idle(item);
  }

  void erase_if_idle(const Item& item) {
    if (item.state == State::idle) items_.erase(items_.find(*item.key));
  }

  // Queues a failed item again, unless it is dropped or a newer value replaces it.
  void requeue(Item& item, Taken taken) {
    const bool too_often = options_.most_tries > 0 && taken.tries + 1 >= options_.most_tries;
    const auto delay = random_wait(options_.item, taken.tries + 1, taken.at_least);
    if (item.value) {
      if constexpr (requires { taken.value.replaces(std::move(taken.value)); })
        item.value->replaces(std::move(taken.value));
    } else if (item.forgotten) {
      return;
    } else if (flushing_ || too_often || is_aged(taken.since)) {
      ++dropped_;
      return;
    } else {
      fill(item, std::move(taken.value), taken.lane, taken.since, taken.sequence);
      item.tries = taken.tries + 1;
    }
    // Retry-After applies to this item, even if the success of another item ends the backoff of the queue.
    const auto asked = std::min(taken.at_least, options_.item.longest);
    const auto wait = taken.outcome == Outcome::retry ? delay : Steady::duration(asked);
    if (wait.count() == 0 || flushing_) return make_ready(item);
    item.state = State::delayed;
    item.ready_at = now_ + wait;
    item.flow->delayed.emplace(std::pair(item.ready_at, item.sequence), &item);
  }

  // --- bounds ---

  bool has_capacity(const std::string& ns) const {
    if (waiting_ >= options_.capacity) return false;
    const auto it = flows_.find(ns);
    return it == flows_.end() || options_.per_namespace == 0 || it->second.waiting < options_.per_namespace;
  }

  bool evict_one(const std::string& ns) {
    const auto by_waiting = [](const auto& a, const auto& b) { return a.second.waiting < b.second.waiting; };
    auto it = flows_.find(ns);
    if (waiting_ >= options_.capacity) it = std::ranges::max_element(flows_, by_waiting);
    if (it == flows_.end()) return false;
    Flow& flow = it->second;
    Item* oldest = nullptr;
    for (const auto& ready : flow.ready) {  // the lowest lane goes first
      if (!ready.empty()) oldest = ready.begin()->second;
    }
    if (!flow.delayed.empty()) oldest = flow.delayed.begin()->second;
    if (!oldest) return false;
    remove(*oldest);
    refresh(flow);
    return true;
  }

  bool is_aged(Steady since) const {
    return options_.most_age.count() > 0 && now_ - since >= options_.most_age;
  }

  void drop_aged(Flow& flow) {
    for (auto& ready : flow.ready) {
      while (!ready.empty() && is_aged(ready.begin()->second->since)) {
        remove(*ready.begin()->second);
        ++dropped_;
      }
    }
  }

  // --- turns and backoff ---

  Steady::duration random_wait(const Backoff& backoff, unsigned failures,
                               std::chrono::milliseconds at_least) {
    return std::max<Steady::duration>(backoff.after(failures, random_.unit()),
                                      std::min(at_least, backoff.longest));
  }

  // Failures during a backoff do not count again.
  void hold(unsigned& failures, Steady& until, const Backoff& backoff, std::chrono::milliseconds at_least) {
    if (flushing_ || now_ < until) return;
    ++failures;
    until = now_ + random_wait(backoff, failures, at_least);
  }

  // Updates the flow's entries in turns_ and wakes_. Erases the flow if it is empty: `flow` is then invalid.
  void refresh(Flow& flow) {
    while (!flow.delayed.empty() && flow.delayed.begin()->first.first <= now_) {
      Item& item = *flow.delayed.begin()->second;
      flow.delayed.erase(flow.delayed.begin());
      make_ready(item);
    }
    const bool held = now_ < flow.held_until;
    const bool may_begin = options_.busy_per_namespace == 0 || flow.busy < options_.busy_per_namespace;
    const bool open = !held && may_begin && (flow.failures == 0 || flow.busy == 0);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      auto& turn = flow.turn[lane];
      const bool has_turn = open && !flow.ready[lane].empty();
      if (has_turn && !turn) turn = turns_[lane].insert(turns_[lane].end(), &flow);
      if (!has_turn && turn) turns_[lane].erase(*std::exchange(turn, std::nullopt));
    }
    if (flow.wake) wakes_.erase({*std::exchange(flow.wake, std::nullopt), &flow});
    if (held) {
      flow.wake = flow.held_until;
    } else if (!flow.delayed.empty()) {
      flow.wake = flow.delayed.begin()->first.first;
    }
    if (flow.wake) wakes_.emplace(*flow.wake, &flow);
    if (flow.waiting == 0 && flow.busy == 0 && !held) flows_.erase(flows_.find(*flow.ns));
  }

  static bool has_turns(const std::list<Flow*>& turns) { return !turns.empty(); }

  std::optional<unsigned> next_lane() {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      if (turns_[lane].empty()) continue;
      if (std::none_of(turns_.begin() + lane + 1, turns_.end(), has_turns)) return lane;
      if (++turns_in_row_[lane] < options_.lower_lanes_every) return lane;
      turns_in_row_[lane] = 0;
    }
    return std::nullopt;
  }

  const FairQueueOptions options_;
  Random& random_;
  Steady now_ = Steady::min();  // the last time that was passed in
  std::unordered_map<std::string, Item, TextHash> items_;
  std::unordered_map<std::string, Flow, TextHash> flows_;
  std::array<std::list<Flow*>, kLanes> turns_;  // by lane: flows with ready items; the next one first
  std::set<Wake, Sooner> wakes_;                // when to refresh a flow again
  unsigned failures_ = 0;                       // of the whole queue, since the last success
  Steady paused_until_ = Steady::min();
  bool flushing_ = false;
  std::array<unsigned, kLanes> turns_in_row_{};  // of each lane, while those below it wait
  std::size_t waiting_ = 0, busy_ = 0;
  std::uint64_t last_sequence_ = 0, done_ = 0, failed_ = 0, dropped_ = 0;
};

}  // namespace podium::async
