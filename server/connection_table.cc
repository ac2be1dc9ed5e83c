#include "server/connection_table.h"

#include <algorithm>

namespace podium::server {

std::optional<ConnectionTable::Id> ConnectionTable::longest_idle(const std::string* peer) const {
  std::optional<Id> best;
  std::uint64_t since = 0;
  for (const auto& [id, one] : connections_) {
    if (one.idle_since == 0 || (peer && one.peer != *peer)) continue;
    if (best && one.idle_since > since) continue;
    best = id;
    since = one.idle_since;
  }
  return best;
}

const std::string& ConnectionTable::largest_peer() const {
  return std::ranges::max_element(per_peer_, {}, [](const auto& one) { return one.second; })->first;
}

ConnectionTable::Admission ConnectionTable::admit(const std::string& peer) {
  Admission out;
  const auto own = per_peer_.find(peer);
  if (own != per_peer_.end() && own->second >= limit_per_peer_) {
    out.victim = longest_idle(&peer);
    if (!out.victim) return out;
  } else if (connections_.size() >= limit_) {
    const auto largest = largest_peer();
    out.victim = longest_idle(&largest);
    if (!out.victim) out.victim = longest_idle(nullptr);
    if (!out.victim) return out;
  }
  if (out.victim) remove(*out.victim);
  out.id = ++ticks_;
  connections_.emplace(*out.id, Connection{peer, ticks_});
  ++per_peer_[peer];
  return out;
}

void ConnectionTable::set_busy(Id id, bool busy) {
  const auto it = connections_.find(id);
  if (it != connections_.end()) it->second.idle_since = busy ? 0 : ++ticks_;
}

void ConnectionTable::remove(Id id) {
  const auto it = connections_.find(id);
  if (it == connections_.end()) return;
  const auto peer = per_peer_.find(it->second.peer);
  if (--peer->second == 0) per_peer_.erase(peer);
  connections_.erase(it);
}

std::optional<ConnectionTable::Id> ConnectionTable::take_longest_idle() {
  const auto id = longest_idle(nullptr);
  if (id) remove(*id);
  return id;
}

}  // namespace podium::server
