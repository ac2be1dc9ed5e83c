// RetentionIndex: the existing reports, ordered by the time at which each is to be deleted.
//
// Times are of the steady clock, so steps of a wall clock, here or on the API server, do not move
// them. If a listed report's TTL is not in its metadata, it is tracked with `look`: it is read when
// due, before it is deleted.
//
// A list removes what others have deleted: begin_list(), then saw() for each listed report and
// track() for the unknown ones, then end_list().
//
// Owner: Retention. Threads: not thread-safe; Retention's mutex guards it. Errors: none.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/clock.h"

namespace podium::controller {

enum class ReportKind : std::uint8_t { decision, question };

class RetentionIndex {
 public:
  struct Report {
    std::string ns, name, uid;
    Steady due{};
    ReportKind kind = ReportKind::decision;
    bool look = false;  // when due, read it to find its TTL; do not delete it yet
  };

  // Adds or replaces the report of this name. The UID must not be empty.
  void track(const Report& report);
  // Marks a listed report as existing. False: it is unknown, or known with another UID.
  bool saw(const std::string& ns, const std::string& name, const std::string& uid);
  // False: it is unknown, or known with another UID. An empty UID matches any.
  bool forget(const std::string& ns, const std::string& name, const std::string& uid);

  void begin_list() { ++list_; }
  std::size_t end_list();  // forgets the reports that were not listed; returns how many

  // Takes up to `most` expired reports for deletion, earliest first. They stay counted until forget().
  std::vector<Report> take_due(Steady now, std::size_t most);
  // Takes up to `most` decision reports that expire next.
  std::vector<Report> take_earliest_decisions(std::size_t most);
  // Whether it was taken and not tracked again since.
  bool is_taken(const std::string& ns, const std::string& name, const std::string& uid) const;
  std::optional<Steady> next_due() const;

  std::size_t size() const { return reports_.size(); }
  std::size_t size(ReportKind kind) const { return counts_[static_cast<std::size_t>(kind)]; }
  // Decision reports that have not been taken.
  std::size_t decisions_kept() const { return by_due_[0].size(); }

 private:
  struct Entry {
    std::string uid;
    Steady due{};
    std::uint32_t list = 0;  // number of the newest list when it was last tracked or seen
    ReportKind kind = ReportKind::decision;
    bool look = false, taken = false;
  };
  using Entries = std::unordered_map<std::string, Entry>;  // by "namespace/name"
  using DueEntry = std::pair<Steady, const Entries::value_type*>;

  void put(Entries::value_type& slot, const Report& report);
  void remove_entry(const Entries::value_type& slot);
  Report take(std::set<DueEntry>& from);

  Entries reports_;
  std::array<std::set<DueEntry>, 2> by_due_;  // by kind; without the taken ones
  std::array<std::size_t, 2> counts_{};
  std::uint32_t list_ = 0;
};

}  // namespace podium::controller
