#include "client/events/event_series.h"

#include <chrono>
#include <iterator>
#include <utility>

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
  const auto slash = entry.object.find('/');
  return {Write::Kind::patch,
          entry.object.substr(0, slash),
          entry.object.substr(slash + 1),
          entry.first,
          entry.count,
          entry.last};
}

EventSeries::Write EventSeries::happened(std::string_view identity, const std::string& ns,
                                         const std::string& name, Steady now, Wall wall,
                                         std::vector<Write>& also) {
  // Keys are 128-bit hashes, to save memory: there are many events.
  const Key key{hash_text(identity), stable_hash(identity, {hash_secret.right, hash_secret.left})};
  if (const auto found = by_key_.find(key); found != by_key_.end()) {
    const auto it = *found;
    Entry& entry = *it;
    if (now - entry.seen < kFinish) {
      entries_.splice(entries_.end(), entries_, it);
      ++entry.count;
      entry.last = wall;
      entry.seen = now;
      return entry.count == 2 ? patch(entry, now) : Write{};
    }
    if (entry.count > entry.written) also.push_back(patch(entry, now));
    by_key_.erase(found);
    entries_.erase(it);
  }
  if (entries_.size() >= capacity_) {
    Entry& quiet = entries_.front();
    if (quiet.count > quiet.written) also.push_back(patch(quiet, now));
    by_key_.erase(quiet.key);
    entries_.pop_front();
  }
  std::string object;
  object.reserve(ns.size() + 1 + name.size());
  object.append(ns).append(1, '/').append(name);
  entries_.push_back({key, std::move(object), wall, wall, 1, 1, now, now});
  by_key_.insert(std::prev(entries_.end()));
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
