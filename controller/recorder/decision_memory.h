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
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "explain/report/report.h"

namespace podium::metrics {
class Samples;
}

namespace podium::controller {

// The estimated bytes of a report in memory.
std::size_t bytes_of(const explain::ReportStatus& status);

struct RememberedDecision {
  std::string ns, pod, uid;
  explain::ReportStatus status;
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
  // Replaces the last decision on the pod of this name.
  void remember(const std::string& ns, const std::string& pod, const std::string& uid,
                const explain::ReportStatus& status);
  void gone(std::string_view pod_uid);  // the pod was deleted or has ended
  Found find(const std::string& ns, const std::string& pod) const;
  Listed list(const Query& query) const;
  Counts counts() const;
  void sample_metrics(metrics::Samples& out) const;

 private:
  using DecisionPtr = std::shared_ptr<const RememberedDecision>;
  struct Entry {
    DecisionPtr decision;
    std::size_t bytes = 0;
    bool is_gone = false;
    std::list<std::string>::iterator place;         // in living_ or gone_
    std::list<std::string>::iterator in_namespace;  // of a living pod: in OfNamespace::living
  };
  struct OfNamespace {
    std::size_t bytes = 0;
    std::list<std::string> living;  // keys, oldest decision first
  };
  // What a waiting pod waits for: its namespace, the code of the reason that rejects most nodes, and the
  // resource that it names, or "".
  using Blocked = std::array<std::string, 3>;
  struct Trace {
    Absence why = Absence::never;
    Wall decided_at{};
    std::uint64_t number = 0;
  };
  using Dropped = std::vector<DecisionPtr>;

  // To the list, the keys from its end on, up to the query's limit.
  void add_newest(const std::list<std::string>& keys, const Query& query,
                  std::vector<Listed::Item>& to) const;
  // One page, the last decision first. Deleted pods: only those among the last ones of all namespaces.
  std::vector<Listed::Item> newest(const Query& query) const;
  static Blocked blocked_by(const RememberedDecision& decision);
  void add_waiting(const std::string& key, const RememberedDecision& decision);
  void remove_waiting(const std::string& key, const RememberedDecision& decision);
  void join_namespace(const std::string& key, Entry& entry);
  void leave_namespace(const Entry& entry);
  void resize(const std::string& ns, OfNamespace& of, std::size_t bytes);
  void make_room(Dropped& dropped);
  void drop(const std::string& key, Absence why, Dropped& dropped);
  void drop_expired(std::list<std::string>& keys, Wall now, Dropped& dropped);
  void leave_trace(const std::string& key, Trace trace);

  Clock& clock_;
  const Options options_;
  mutable std::mutex mutex_;  // guards what follows
  std::optional<Wall> began_;
  boost::unordered_flat_map<std::string, Entry> entries_;       // by "namespace/pod"
  boost::unordered_flat_map<std::string, std::string> by_uid_;  // key of the pod's entry
  std::list<std::string> living_, gone_;                        // keys, oldest decision first
  std::map<std::string, OfNamespace> by_namespace_;
  std::set<std::pair<std::size_t, std::string>> by_size_;  // bytes and name of each namespace
  std::set<std::string> by_name_;                          // all keys
  std::set<std::string> waiting_;                          // keys of living pods without a node
  std::map<Blocked, std::size_t> blocked_;                 // how many of waiting_
  std::size_t bytes_ = 0;
  boost::unordered_flat_map<std::uint64_t, Trace> traces_;      // by the hash of the key
  std::deque<std::pair<std::uint64_t, std::uint64_t>> by_age_;  // hash and number of traces
  std::uint64_t last_trace_ = 0;
  bool has_lost_traces_ = false;
};

}  // namespace podium::controller
