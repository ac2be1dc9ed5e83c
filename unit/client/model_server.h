// ModelServer: a model of one resource of an API server, as seen through a selector: random writes, watch
// history, compaction, and etcd restored from a snapshot. The test steps it.
//
// Threads: none of its own.
#pragma once

#include <fmt/format.h>

#include <map>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/random.h"

namespace podium::unit {

using Version = std::uint64_t;

struct Event {
  enum class Type { upsert, deleted };
  Type type = Type::upsert;
  std::string name, uid;
  Version version = 0;
};

class Dice final : public Random {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t next() override { return engine_(); }
  std::uint64_t below(std::uint64_t count) { return engine_() % count; }
  bool one_in(std::uint64_t count) { return below(count) == 0; }

 private:
  std::mt19937_64 engine_;
};

class ModelServer {
 public:
  explicit ModelServer(Dice& dice) : dice_(dice) {}

  using Objects = std::map<std::string, std::pair<std::string, Version>>;  // by name: UID and version

  // One random write.
  void write() {
    const auto name = fmt::format("o{}", dice_.below(12));
    auto it = all_.find(name);
    ++version_;
    if (it == all_.end()) {
      it = all_.emplace(name, Object{fmt::format("u{}", ++uids_), version_, !dice_.one_in(5)}).first;
      if (it->second.selected) happened(Event::Type::upsert, *it);
      return;
    }
    auto& object = it->second;
    const bool was_selected = object.selected;
    object.version = version_;
    if (dice_.one_in(3)) {
      if (was_selected) happened(Event::Type::deleted, *it);
      all_.erase(it);
      return;
    }
    if (dice_.one_in(5)) object.selected = !object.selected;
    if (object.selected) happened(Event::Type::upsert, *it);
    if (was_selected && !object.selected) happened(Event::Type::deleted, *it);
  }

  void compact() { compacted_ = version_; }

  // Restores etcd to an earlier state; later writes are lost. UIDs stay unique.
  void snapshot() { saved_ = {all_, version_}; }
  bool restore() {
    if (!saved_ || saved_->second >= version_) return false;
    std::tie(all_, version_) = *saved_;
    while (!history_.empty() && history_.back().version > version_) history_.pop_back();
    compacted_ = version_;
    return true;
  }

  Version version() const { return version_; }
  bool has(Version version) const { return version >= compacted_ && version <= version_; }
  const std::vector<Event>& history() const { return history_; }
  std::vector<Event> after(Version version) const {
    std::vector<Event> out;
    for (const auto& event : history_) {
      if (event.version > version) out.push_back(event);
    }
    return out;
  }
  Objects objects() const {
    Objects out;
    for (const auto& [name, object] : all_) {
      if (object.selected) out[name] = {object.uid, object.version};
    }
    return out;
  }

 private:
  struct Object {
    std::string uid;
    Version version = 0;
    bool selected = true;
  };
  using All = std::map<std::string, Object>;

  void happened(Event::Type type, const All::value_type& object) {
    history_.push_back({type, object.first, object.second.uid, version_});
  }

  Dice& dice_;
  All all_;
  std::vector<Event> history_;
  Version version_ = 1, compacted_ = 0;
  std::optional<std::pair<All, Version>> saved_;
  std::uint64_t uids_ = 0;
};

}  // namespace podium::unit
