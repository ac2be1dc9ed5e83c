#include "server/connection_table.h"

#include <algorithm>

namespace podium::server {

std::optional<ConnectionTable::Id> ConnectionTable::longest(State state, const std::string* peer,
                                                            Id but) const {
  std::optional<Id> best;
  std::uint64_t since = 0;
  for (const auto& [id, one] : connections_) {
    if (one.state != state || id == but || (peer && one.peer != *peer)) continue;
    if (best && one.since > since) continue;
    best = id;
    since = one.since;
  }
  return best;
}

std::optional<ConnectionTable::Id> ConnectionTable::victim_of(const std::string* peer) const {
  const auto idle = longest(State::idle, peer);
  return idle ? idle : longest(State::writing, peer);
}

const std::string& ConnectionTable::largest(std::size_t Peer::* amount) const {
  return std::ranges::max_element(peers_, {}, [&](const auto& one) { return one.second.*amount; })->first;
}

ConnectionTable::Accepted ConnectionTable::admit(const std::string& peer) {
  Accepted out;
  const auto own = peers_.find(peer);
  if (own != peers_.end() && own->second.connections >= bounds_.connections_per_peer) {
    out.victim = victim_of(&peer);
    if (!out.victim) return out;
  } else if (connections_.size() >= bounds_.connections) {
    out.victim = victim_of(&largest(&Peer::connections));
    if (!out.victim) out.victim = victim_of(nullptr);
    if (!out.victim) return out;
  }
  if (out.victim) remove(*out.victim);
  out.id = ++ticks_;
  connections_.emplace(*out.id, Connection{peer, State::idle, ticks_});
  ++peers_[peer].connections;
  return out;
}

void ConnectionTable::set(Id id, State state, std::size_t unread) {
  const auto it = connections_.find(id);
  if (it == connections_.end()) return;
  auto& one = it->second;
  auto& peer = peers_.at(one.peer);
  peer.unread += unread - one.unread;
  unread_ += unread - one.unread;
  one.unread = unread;
  one.state = state;
  one.since = ++ticks_;
}

void ConnectionTable::set_busy(Id id) { set(id, State::busy, 0); }

void ConnectionTable::set_idle(Id id) { set(id, State::idle, 0); }

std::vector<ConnectionTable::Id> ConnectionTable::set_writing(Id id, std::size_t bytes) {
  set(id, State::writing, bytes);
  std::vector<Id> out;
  const auto close = [&](std::optional<Id> victim) {
    if (!victim) return false;
    out.push_back(*victim);
    remove(*victim);
    return true;
  };
  const auto it = connections_.find(id);
  if (it == connections_.end()) return out;
  const auto& peer = it->second.peer;
  while (peers_.at(peer).unread > bounds_.unread_per_peer && close(longest(State::writing, &peer, id))) {
  }
  while (unread_ > bounds_.unread) {
    const auto most = largest(&Peer::unread);
    if (!close(longest(State::writing, &most, id)) && !close(longest(State::writing, nullptr, id))) break;
  }
  return out;
}

void ConnectionTable::remove(Id id) {
  const auto it = connections_.find(id);
  if (it == connections_.end()) return;
  const auto peer = peers_.find(it->second.peer);
  peer->second.unread -= it->second.unread;
  unread_ -= it->second.unread;
  if (--peer->second.connections == 0) peers_.erase(peer);
  connections_.erase(it);
}

std::optional<ConnectionTable::Id> ConnectionTable::take_victim() {
  const auto id = victim_of(nullptr);
  if (id) remove(*id);
  return id;
}

}  // namespace podium::server
