// Refreshes: the what-ifs that are asked periodically (spec.refreshSeconds), with the time at which each is
// due, and its last answer.
//
// A what-if takes a place; the places are bounded in total and per namespace. If all are taken, a namespace
// gets the newest place of the one that has the most, if that has at least two more: a user with many
// namespaces does not keep the others out. The what-if that loses its place is due immediately, and is then
// refused. While a what-if's question or its answer is in progress, it has no due time, so questions do not
// pile up.
//
// Memory: a few hundred bytes for each place, and for each what-if that has lost its own.
// Owner: WhatIfController. Threads: any. Errors: none; functions do nothing for a key that has no place.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"

namespace podium::controller {

class Refreshes {
 public:
  struct Limits {
    std::size_t all = 0, per_namespace = 0;
  };
  struct Due {
    std::string ns, name, key;
    std::chrono::seconds every{0};
  };
  // The numbers of a what-if's last answer.
  struct Numbers {
    std::size_t fitting = 0, unplaced = 0;                 // replicas; of a search, pods that wait
    std::optional<std::size_t> nodes_wanted, nodes_spare;  // of a search for nodes
    bool operator==(const Numbers&) const = default;
  };
  struct Answered {
    std::string ns, name;
    Numbers numbers = {};
    bool operator==(const Answered&) const = default;
  };

  explicit Refreshes(Limits limits) : limits_(limits) {}
  const Limits& limits() const { return limits_; }

  // Takes a place, or keeps the current one with a new period. False: no place is left. It then forgets a
  // what-if that has lost its own.
  bool place(const std::string& ns, const std::string& name, const std::string& key,
             std::chrono::seconds every);
  void drop(const std::string& key);

  void set_due(const std::string& key, Steady at);
  void set_next_due(const std::string& key, Steady now);  // one period from now, unless it has a due time
  void clear_due(const std::string& key);
  bool has_due(const std::string& key) const;
  std::optional<Steady> next_due() const;
  std::vector<Due> take_due(Steady now);  // they have no due time then

  // Sets the numbers of the last answer; nullopt: the question was refused.
  void set_numbers(const std::string& key, std::optional<Numbers> numbers);
  // True if an answer must be written: it differs from the last written one, or that was `most` ago.
  bool is_news(const std::string& key, std::uint64_t content, Steady now, Steady::duration most) const;
  void written(const std::string& key, std::uint64_t content, Steady now);

  std::vector<Answered> answered() const;  // by key

 private:
  struct Entry {
    Due due;
    std::uint64_t order = 0;  // of the places, by when they were taken
    bool has_place = false;   // false: another namespace got it
    std::optional<Steady> at;
    std::optional<Numbers> numbers;
    std::optional<std::pair<std::uint64_t, Steady>> written;  // content and time
  };
  using Entries = std::map<std::string, Entry>;
  void set(Entry& entry, Steady at);
  void unset(Entry& entry);
  bool make_place(const std::string& ns);
  bool displace(std::size_t own);
  void leave(Entry& entry);
  void erase(Entries::iterator at);

  const Limits limits_;
  mutable std::mutex mutex_;  // guards these
  Entries entries_;
  std::map<std::string, std::size_t> of_namespace_;  // places
  std::size_t places_ = 0;
  std::uint64_t orders_ = 0;
  std::set<std::pair<Steady, std::string>> due_;
};

}  // namespace podium::controller
