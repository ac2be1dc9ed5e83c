// RetentionIndex: the existing reports, the expiry of each, and the order in which they are evicted if a
// budget is used up.
//
// Decisions and what-ifs each have a budget of the same size: for reports and bytes, in total and per
// namespace. Half of the decisions' budget is for placed pods and half for failures; either may use the free
// part of the other. If a decision does not fit, another is evicted: first one that waits for its deletion
// anyway; then one of the new report's kind, if that has more than its half, else one of the other kind.
// Within a kind, reports of deleted pods are evicted first, then the oldest. What-ifs are evicted oldest
// first; those without an expiry are never evicted, and may_keep() limits them. If the total budget is used
// up, the namespace that has most of it loses one, of decisions and what-ifs alike.
//
// Times are of the steady clock, so steps of a wall clock, here or on the API server, do not move them. A
// listed report whose TTL is not in its metadata is tracked with `look`: it is read when it is due.
//
// A list removes the reports that others have deleted: begin_list(), then mark_listed() for each report and
// track() for those that are unknown, or were written since, unless they are newer; then end_list().
//
// Owner: Retention. Threads: not thread-safe; Retention's mutex guards it. Errors: none.
#pragma once

#include <array>
#include <chrono>
#include <compare>
#include <cstdint>
#include <expected>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/packed_uid.h"
#include "base/text_hash.h"
#include "controller/report/metadata.h"
#include "controller/retention/report_usage.h"

namespace podium::controller {

// For each kind.
struct ReportLimits {
  ReportUsage all{10'000, 64u << 20}, of_namespace{2'500, 16u << 20};
};

// The reason why a decision does not fit.
enum class NoRoom : std::uint8_t {
  now,     // others in flight may be evicted once they exist
  at_all,  // the existing reports cannot be deleted
};

class RetentionIndex {
 public:
  static constexpr Steady kNever = Steady::max();  // `due` of a report that does not expire

  struct Report {
    std::string ns, name, uid;
    Steady due{};
    ReportKind kind = ReportKind::decision;
    bool look = false;         // when due, read it to find its TTL; do not delete it yet
    bool early = false;        // taken before it was due
    bool failure = false;      // of a pod that was not placed
    bool orphan = false;       // its pod was deleted before this was taken or reserved against
    std::uint32_t bytes = 0;   // on the API server
    std::uint32_t minute = 0;  // of its label podium.dev/expires, in minutes since 1970; 0: none
    Steady written{};          // last write
    std::string version;       // its resourceVersion after that; empty: unknown
    bool listed = false;       // another engine may have written it last
  };

  void set_limits(const ReportLimits& limits);

  // Adds or replaces the report of this name. The UID must not be empty.
  void track(const Report& report);
  // False: it is unknown, has another UID, or was written since. An empty version matches any.
  bool knows(const std::string& ns, const std::string& name, const std::string& uid,
             const std::string& version) const;
  // The same, and marks a known report as listed.
  bool mark_listed(const std::string& ns, const std::string& name, const std::string& uid,
                   const std::string& version = {});
  bool contains(const std::string& ns, const std::string& name) const;
  // True if it exists and is not about to be evicted.
  bool is_kept(const std::string& ns, const std::string& name, const std::string& uid) const;
  // The same, of a report of this name on a decision.
  bool has_decision(const std::string& ns, const std::string& name) const;
  // The pod of this report is deleted: the report is evicted before others.
  void pod_gone(const std::string& ns, const std::string& name, const std::string& uid);
  // False: it is unknown, or has another UID. An empty UID matches any.
  bool forget(const std::string& ns, const std::string& name, const std::string& uid);

  void begin_list() { ++list_; }
  // True if a report of this name was tracked or seen since begin_list(): a page of the list may be older.
  bool is_newer_than_list(const std::string& ns, const std::string& name) const;
  std::size_t end_list();  // forgets the reports that were not listed; returns how many

  // Takes up to `most` expired reports for deletion, earliest first. They stay counted until forget().
  std::vector<Report> take_due(Steady now, std::size_t most);
  // Takes up to `most` reports that exceed a budget.
  std::vector<Report> take_excess(std::size_t most);
  // True if one of these took it, and it was neither tracked nor reserved against since.
  bool is_taken(const std::string& ns, const std::string& name, const std::string& uid) const;
  // True if every decision of the namespace with this minute on its label was taken.
  bool is_whole(const std::string& ns, std::uint32_t minute) const;

  // Reserves space for a new decision of this size. Returns the reports to delete before the write; they are
  // no longer counted. Until release(), the space counts as used.
  std::expected<std::vector<Report>, NoRoom> reserve(const std::string& ns, std::uint32_t bytes,
                                                     bool failure = false);
  void release(const std::string& ns, std::uint32_t bytes, bool failure = false);
  // A report of reserve() that could not be deleted: counted again, and taken.
  void restore(const Report& report);

  // True if this what-if may be kept without an expiry: it already is, or there is space. Such reports take
  // at most four fifths of a budget, which leaves space for others.
  bool may_keep(const std::string& ns, const std::string& name, std::uint32_t bytes) const;

  std::optional<Steady> next_due() const;
  // The earliest due time of all, with taken reports, but without those taken early.
  std::optional<Steady> earliest_due() const;
  bool has_excess() const;

  std::size_t size() const { return reports_.size(); }
  std::size_t size(ReportKind kind) const { return counts_[static_cast<std::size_t>(kind)]; }
  ReportUsage used(ReportKind kind) const { return all_[static_cast<std::size_t>(kind)].used; }

 private:
  enum class State : std::uint8_t { kept, taken, leaving };
  struct Entry {
    PackedUid uid;
    std::uint64_t version = 0;  // a resourceVersion is a number; 0: unknown
    Steady due{}, written{};
    std::uint64_t order = 0;  // of tracking
    std::uint32_t list = 0;   // number of the newest list when it was last tracked or seen
    std::uint32_t bytes = 0, minute = 0;
    ReportKind kind = ReportKind::decision;
    State state = State::kept;
    bool look = false, early = false, failure = false, stuck = false, listed = false;
    bool orphan = false;  // its pod is deleted
  };
  using Entries = std::unordered_map<std::string, Entry, TextHash>;  // by "namespace/name"
  using Slot = Entries::value_type;
  // Reports with equal times are ordered by name, not by address, so that a run can be repeated.
  using DueEntry = std::pair<Steady, Slot*>;
  struct Sooner {
    bool operator()(const DueEntry& a, const DueEntry& b) const {
      return std::tie(a.first, a.second->first) < std::tie(b.first, b.second->first);
    }
  };
  using ByDue = std::set<DueEntry, Sooner>;
  struct Evictable {
    std::uint8_t rank;
    Steady written;
    std::uint64_t order;
    Slot* slot;
    auto operator<=>(const Evictable&) const = default;
  };
  // A namespace: minus its part of the total budget, its first report to evict, its name.
  using Place = std::tuple<double, Steady, std::uint64_t, std::string>;
  // The decisions on placed pods, or the failures; what-ifs are all in the first.
  struct Part {
    ReportUsage used;               // with reservations
    ReportUsage going;              // the part of `used` that is taken and may be evicted
    std::set<Evictable> evictable;  // the next to evict first
    std::optional<Place> place;     // in largest_, of a namespace that has a report to evict here
  };
  using Parts = std::array<Part, 2>;
  // Reports of one kind, of a namespace or of all.
  struct Space {
    ReportUsage used, reserved, kept;  // kept: without an expiry, a part of used
    Parts parts;
    // The reports that stay, once those that are taken are deleted.
    ReportUsage staying() const;
  };
  using Spaces = std::array<Space, 2>;  // by kind
  struct Minute {
    std::size_t members = 0, taken = 0;
    Steady due{};
  };

  static std::optional<Evictable> evictable_of(Slot& slot);
  Space& space_of(const Slot& slot);
  void count(Slot& slot, bool in);
  void link(Slot& slot, bool in);
  void insert(Slot& slot);
  void remove(Slot& slot);
  void set_state(Slot& slot, State state, bool early);
  void drop_if_empty(const std::string& ns);
  Steady together(const Report& report, const std::string& key);
  static Report report_of(const Slot& slot);
  static Slot* first_that_stays(const Part& part);
  Slot* first_of_largest(ReportKind kind, std::size_t part) const;
  double part_of_all(const Space& space) const;
  void set_place(const std::string& ns, std::size_t kind);
  void hold(const std::string& ns, std::uint32_t bytes, bool failure, bool in);
  Slot* first_of_own(const std::string& ns, std::uint32_t bytes, bool failure);
  Slot* first_of_all(std::uint32_t bytes, bool failure);
  static bool fits(const Space& space, const ReportUsage& limit, std::uint32_t bytes);
  bool exceeds(const Space& space, const ReportUsage& limit) const { return !space.used.within(limit); }

  ReportLimits limits_;
  Entries reports_;
  std::array<ByDue, 2> by_due_;      // by kind; of the reports that expire
  std::multiset<Steady> taken_due_;  // of those that were taken when they were due
  Spaces all_;
  std::unordered_map<std::string, Spaces, TextHash> spaces_;  // by namespace
  // By kind and part: the namespaces that have a report to evict there, the largest first.
  std::array<std::array<std::set<Place>, 2>, 2> largest_;
  std::set<std::pair<std::string, std::size_t>> over_;  // namespaces and kinds that may exceed their budget
  std::unordered_map<std::string, Minute, TextHash> minutes_;  // by "namespace/minute"
  std::array<std::size_t, 2> counts_{};
  std::uint64_t order_ = 0;
  std::uint32_t list_ = 0;
};

}  // namespace podium::controller
