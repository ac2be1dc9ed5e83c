#include "client/events/event_series.h"

#include <chrono>
#include <functional>

#include "base/text_hash.h"

namespace podium::client {
namespace {

using namespace std::chrono_literals;

constexpr auto kFinish = 6min;
constexpr auto kRefresh = 30min;

}  // namespace

EventSeries::Write EventSeries::patch(Entry& entry, Steady now) {
  entry.written = entry.count;
  entry.written_at = now;
  return {Write::Kind::patch, entry.ns, entry.name, entry.first, entry.count, entry.last};
}

EventSeries::Write EventSeries::happened(std::string_view identity, const std::string& ns,
                                         const std::string& name, Steady now, Wall wall,
                                         std::vector<Write>& also) {
  // Keys are 128-bit hashes, to save memory: there are many events.
  std::string salted(identity);
  salted += '\1';
  const Key key{hash_text(identity), hash_text(salted)};
  if (const auto found = by_key_.find(key); found != by_key_.end()) {
    Entry& entry = *found->second;
    if (now - entry.seen < kFinish) {
      entries_.splice(entries_.end(), entries_, found->second);
      ++entry.count;
      entry.last = wall;
      entry.seen = now;
      return entry.count == 2 ? patch(entry, now) : Write{};
    }
    if (entry.count > entry.written) also.push_back(patch(entry, now));
    entries_.erase(found->second);
    by_key_.erase(found);
  }
  if (entries_.size() >= capacity_) {
    Entry& quiet = entries_.front();
    if (quiet.count > quiet.written) also.push_back(patch(quiet, now));
    by_key_.erase(quiet.key);
    entries_.pop_front();
  }
  entries_.push_back({key, ns, name, wall, wall, 1, 1, now, now});
  by_key_[key] = std::prev(entries_.end());
  return {Write::Kind::create, ns, name, wall, 1, wall};
}

std::vector<EventSeries::Write> EventSeries::due(Steady now, bool all) {
  std::vector<Write> writes;
  for (auto it = entries_.begin(); it != entries_.end();) {
    Entry& entry = *it;
    const bool over = now - entry.seen >= kFinish;
    const bool unwritten = entry.count > entry.written;
    const bool refresh = entry.count > 1 && now - entry.written_at >= kRefresh;
    if ((unwritten && (over || all)) || (refresh && !over)) writes.push_back(patch(entry, now));
    if (!over) {
      ++it;
      continue;
    }
    by_key_.erase(entry.key);
    it = entries_.erase(it);
  }
  return writes;
}

}  // namespace podium::client
