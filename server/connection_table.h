// ConnectionTable: decides which connections the server keeps, and which ones it closes for others.
//
// Bounds the connections, and the bytes of unread replies, in total and per peer address. At a bound, it
// closes the connection that is idle for longest (idle: no request in progress; an unfinished handshake is
// idle), else the one that writes its reply for longest: of the new connection's peer if that peer is at its
// bound, else of the peer with the most, else of any. So one client cannot take all slots or push out the
// others, and a client that does not read loses its connection. A connection whose request is in progress
// stays.
// Owner: HttpsServer. Threads: one at a time. Pure: knows neither sockets nor time. Errors: none.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace podium::server {

class ConnectionTable {
 public:
  using Id = std::uint64_t;
  struct Bounds {
    std::size_t connections = 0, connections_per_peer = 0;
    std::size_t unread = 64u << 20, unread_per_peer = 32u << 20;  // bytes of replies
  };

  explicit ConnectionTable(Bounds bounds) : bounds_(bounds) {}

  struct Accepted {
    std::optional<Id> id;      // nullopt: refused, because every candidate is busy
    std::optional<Id> victim;  // to be closed; removed from the table
  };
  Accepted admit(const std::string& peer);
  // The states of a connection: busy from the arrival of a request until its reply is known, then writing,
  // then idle. These have no effect if the id was removed.
  void set_busy(Id id);
  void set_idle(Id id);
  // Returns the connections to close because too much is unread; removed from the table, never `id`.
  std::vector<Id> set_writing(Id id, std::size_t bytes);
  void remove(Id id);
  // Removes and returns the first connection to close, if there is one.
  std::optional<Id> take_victim();

  std::size_t size() const { return connections_.size(); }
  std::size_t unread() const { return unread_; }

 private:
  enum class State { idle, writing, busy };
  struct Connection {
    std::string peer;
    State state = State::idle;
    std::uint64_t since = 0;  // in ticks_
    std::size_t unread = 0;
  };
  struct Peer {
    std::size_t connections = 0, unread = 0;
  };
  void set(Id id, State state, std::size_t unread);
  // The connection that has been in the state longest: of a peer, or of any (null).
  std::optional<Id> longest(State state, const std::string* peer, Id but = 0) const;
  std::optional<Id> victim_of(const std::string* peer) const;  // an idle one, else one that writes
  const std::string& largest(std::size_t Peer::* amount) const;

  const Bounds bounds_;
  std::map<Id, Connection> connections_;
  std::map<std::string, Peer> peers_;
  std::size_t unread_ = 0;
  std::uint64_t ticks_ = 0;
};

}  // namespace podium::server
