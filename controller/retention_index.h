// RetentionIndex: the reports that exist, and when each is to be deleted.
//
// Times are steady: an expiry is "so long from now", so that a step of a wall clock, here or on the API
// server, moves none. A report that was found in a list may be there as `due for a look`: its expiry is not
// in its metadata, and it is read before it is deleted.
//
// Budgets count per kind. A list tells what others have deleted: begin_list(), saw() for each report in it
// and track() for those that are not known, end_list().
// Owner: Retention. Threads: none of its own, no lock.
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
    bool look = false;  // read it when it is due
  };

  // The UID is not empty.
  void track(const Report& report);
  // Seen in a list. False: it is not known, or another of its name is.
  bool saw(const std::string& ns, const std::string& name, const std::string& uid);
  // False: it is not there, or it is another of its name. An empty UID means any.
  bool forget(const std::string& ns, const std::string& name, const std::string& uid);

  void begin_list() { ++list_; }
  std::size_t end_list();  // how many were not in it and are forgotten

  // Those whose time has come, the earliest first. They count until they are forgotten.
  std::vector<Report> take_due(Steady now, std::size_t most);
  // The decisions that would be due next.
  std::vector<Report> take_earliest_decisions(std::size_t most);
  // Whether it was taken and has not been written since.
  bool is_taken(const std::string& ns, const std::string& name, const std::string& uid) const;
  std::optional<Steady> next_due() const;

  std::size_t size() const { return reports_.size(); }
  std::size_t size(ReportKind kind) const { return counts_[static_cast<std::size_t>(kind)]; }
  // Decisions that have not been taken.
  std::size_t decisions_kept() const { return by_due_[0].size(); }

 private:
  struct Entry {
    std::string uid;
    Steady due{};
    std::uint32_t list = 0;  // the last list that began before it was seen
    ReportKind kind = ReportKind::decision;
    bool look = false, taken = false;
  };
  using Entries = std::unordered_map<std::string, Entry>;  // by "namespace/name"
  using Place = std::pair<Steady, const Entries::value_type*>;

  void put(Entries::value_type& slot, const Report& report);
  void take_out(const Entries::value_type& slot);
  Report take(std::set<Place>& from);

  Entries reports_;
  std::array<std::set<Place>, 2> by_due_;  // by kind; without those that were taken
  std::array<std::size_t, 2> counts_{};
  std::uint32_t list_ = 0;
};

}  // namespace podium::controller
