// DecisionMemory: the last decision on each pod, with its report, until the report expires.
//
// Answers HTTPS requests, even if no report is written. A report is dropped when it expires
// (ReportStatus::expires_at). At the budget the oldest reports of deleted pods are dropped first, then the
// oldest of the namespace whose living pods take most. A dropped report leaves a trace of a few bytes, to
// explain why there is no answer.
//
// Owner: the Engine. Threads: any; a lock is held for lookups in maps; values are freed outside of it.
// Errors: none.
#pragma once

#include <array>
#include <boost/intrusive/list.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/text_hash.h"
#include "controller/recorder/eviction_memory.h"
#include "explain/report/report.h"
#include "explain/workload/pod_asks.h"

namespace podium::metrics {
class Samples;
}

namespace podium::controller {

struct RememberedDecision {
  std::string ns, pod, uid;
  explain::ReportStatus status;
  explain::PodAsksPtr asks = {};  // of a pod that waits; else null
  std::optional<Wall> created = {};
};

class DecisionMemory {
 public:
  struct Options {
    std::size_t bytes = 64u << 20;  // of all reports
    std::size_t traces = 65'536;    // of dropped ones
  };
  enum class Absence : std::uint8_t {
    none,       // there is a decision
    not_begun,  // this process does not decide
    never,      // not decided since this process began
    expired,    // its TTL has passed
    evicted,    // for the budget
    lost,       // unknown, and traces were dropped: never decided, or too long ago
  };
  struct Found {
    std::shared_ptr<const RememberedDecision> decision;  // null: see absence
    Absence absence = Absence::none;
    std::optional<Wall> decided_at;  // of the decision, also if it was dropped
    std::optional<Wall> began;       // when this process began to decide
    bool is_gone = false;            // the pod was deleted or has ended
    std::optional<Wall> gone_at = {};
    std::optional<RememberedEviction> eviction = {};  // it had to make room; nullopt: none is known
  };
  // A page of a list, by namespace and name; or the newest decisions.
  struct Query {
    std::string ns;                // empty: of all namespaces
    std::string after;             // "namespace/pod": begins after it; empty: at the first
    bool is_waiting_only = false;  // only pods that still wait for a node
    bool is_newest_first = false;  // see newest(); `after` and is_waiting_only do not count
    std::size_t limit = 100;
  };
  struct Listed {
    struct Item {
      std::shared_ptr<const RememberedDecision> decision;
      bool is_gone = false;
    };
    std::vector<Item> items;    // may be fewer than the limit, also before the last page
    std::string next;           // Query::after of the next page; empty: this is the last one
    std::optional<Wall> began;  // as in Found
  };
  struct Counts {
    std::size_t decisions = 0, bytes = 0;
  };

  DecisionMemory(Clock& clock, Options options) : clock_(clock), options_(options) {}

  void begin();  // this process makes decisions from now on
  // Replaces the last decision on the pod of this name. packed: the status.
  void remember(const std::string& ns, const std::string& pod, const std::string& uid,
                const explain::ReportStatus& status, std::string_view packed,
                explain::PodAsksPtr asks = nullptr, std::optional<Wall> created = std::nullopt);
  void gone(std::string_view pod_uid);  // the pod was deleted or has ended
  // Evictions by an earlier process. Those that are known stay.
  void recall(const std::string& ns, const std::string& pod, const std::string& uid,
              const explain::Preempted& preempted);
  Found find(const std::string& ns, const std::string& pod) const;
  Listed list(const Query& query) const;
  // Differs from an earlier version if a decision in the namespace ("": in any) was made or dropped, or its
  // pod is gone. Other namespaces change it rarely, by chance. Empty: this process does not decide.
  std::string version(const std::string& ns) const;
  Counts counts() const;
  void sample_metrics(metrics::Samples& out) const;

 private:
  using Key = std::string_view;  // "namespace/pod" of an entry, whose Kept has the text
  // The status is packed, and unpacked for each answer. There are many, so that all texts are one.
  struct Kept {
    std::string text;  // "namespace/pod", the UID and the packed status, one after the other
    std::uint32_t ns_size, key_size, uid_size;
    std::optional<Wall> decided_at, expires_at;
    explain::PodAsksPtr asks = {};
    std::optional<Wall> created = {};

    Key key() const { return Key(text).substr(0, key_size); }
    std::string ns() const { return text.substr(0, ns_size); }
    std::string pod() const { return text.substr(ns_size + 1, key_size - ns_size - 1); }
    std::string_view uid() const { return Key(text).substr(key_size, uid_size); }
    std::string_view packed() const { return Key(text).substr(key_size + uid_size); }
    bool is_expired(Wall now) const { return expires_at && *expires_at <= now; }
  };
  using KeptPtr = std::shared_ptr<const Kept>;
  static std::string_view uid_of(std::string_view uid) { return uid; }
  static std::string_view uid_of(const Kept* kept) { return kept->uid(); }
  struct UidHash : TextHash {
    std::size_t operator()(const auto& of) const { return TextHash::operator()(uid_of(of)); }
  };
  struct UidEqual {
    using is_transparent = void;
    bool operator()(const auto& a, const auto& b) const { return uid_of(a) == uid_of(b); }
  };
  struct Picked {
    KeptPtr decision;
    bool is_gone = false;
  };
  // What a waiting pod waits for: its namespace, the code of the reason that rejects most nodes, and the
  // resource that it names, or "".
  using Blocked = std::array<std::string, 3>;
  using BlockedPods = std::map<Blocked, std::size_t>;
  using Hook = boost::intrusive::list_member_hook<boost::intrusive::link_mode<boost::intrusive::normal_link>>;
  struct Entry {
    KeptPtr decision;
    std::size_t bytes = 0;
    bool is_gone = false;
    Wall gone_at{};                   // if it is gone
    Hook place;                       // in living_ or gone_
    Hook in_namespace;                // of a living pod: in OfNamespace::living
    BlockedPods::iterator blocked{};  // of a pod in waiting_: in blocked_

    Key key() const { return decision->key(); }
  };
  template <Hook Entry::* hook>
  using ListBy =
      boost::intrusive::list<Entry, boost::intrusive::member_hook<Entry, Hook, hook>,
                             boost::intrusive::constant_time_size<false>>;  // oldest decision first
  using List = ListBy<&Entry::place>;
  using Entries = std::map<Key, Entry, std::less<>>;  // by name
  struct OfNamespace {
    std::size_t bytes = 0;
    ListBy<&Entry::in_namespace> living;
  };
  struct Trace {
    Absence why = Absence::never;
    Wall decided_at{};
    std::uint64_t number = 0;
  };
  using Dropped = std::vector<KeptPtr>;

  KeptPtr look_up(const explain::NamespacedName& pod, Found& out) const;
  // Appends the entries from the end of the list on, up to the query's limit.
  void add_newest(const auto& entries, const Query& query, std::vector<Picked>& to) const;
  // One page, the last decision first. Deleted pods: only those among the last ones of all namespaces.
  std::vector<Picked> newest(const Query& query) const;
  static Key key_of(Key key) { return key; }
  static Key key_of(const Entries::value_type& entry) { return entry.first; }
  // A page of these keys; `next`: where the next one begins.
  template <typename Names>
  std::vector<Picked> page(const Names& keys, const Query& query, std::string& next) const;
  static std::shared_ptr<const RememberedDecision> unpacked(const Kept& kept);
  static Blocked blocked_by(const std::string& ns, const explain::ReportStatus& status);
  void remove_waiting(Key key, const Entry& entry);
  void join_namespace(Entry& entry);
  void leave_namespace(Entry& entry);
  void mark_victims(const Kept& decision, const explain::ReportStatus& status);
  void resize(const std::string& ns, OfNamespace& of, std::size_t bytes);
  void make_room(Wall now, Dropped& dropped);
  void drop(Entry& entry, Absence why, Dropped& dropped);
  void drop_expired(List& entries, Wall now, Dropped& dropped);
  void leave_trace(Key key, Trace trace);
  void count_change(const std::string& ns);

  Clock& clock_;
  const Options options_;
  mutable std::mutex mutex_;  // guards what follows
  std::optional<Wall> began_;
  Entries entries_;
  boost::unordered_flat_set<const Kept*, UidHash, UidEqual> by_uid_;  // those of the entries
  List living_, gone_;
  std::map<std::string, OfNamespace> by_namespace_;
  std::set<std::pair<std::size_t, std::string>> by_size_;  // bytes and name of each namespace
  std::set<Key> waiting_;                                  // living pods without a node
  BlockedPods blocked_;                                    // how many of waiting_
  std::size_t bytes_ = 0;
  std::uint64_t dropped_before_pod_ = 0;
  std::uint64_t changes_ = 0;
  std::array<std::uint64_t, 256>
      changes_of_{};  // by the seeded hash of the namespace: bounded, whatever their number
  boost::unordered_flat_map<std::uint64_t, Trace> traces_;      // by the hash of the key
  std::deque<std::pair<std::uint64_t, std::uint64_t>> by_age_;  // hash and number of traces
  std::uint64_t last_trace_ = 0;
  bool has_lost_traces_ = false;
  EvictionMemory evictions_;
};

}  // namespace podium::controller
