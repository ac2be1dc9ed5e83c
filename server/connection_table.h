// ConnectionTable: which connections the server keeps, and which one makes room for a new one.
//
// Bounded in all and for each peer address. Where a bound is reached, the connection that has been idle for
// the longest (no request under way, which includes an unfinished handshake) is closed for the new one: of
// the new one's peer where that has too many, else of the peer that has the most. So one client can neither
// hold all slots nor push out others.
// Owner: HttpsServer. Threads: one at a time. Pure: knows neither sockets nor time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace podium::server {

class ConnectionTable {
 public:
  using Id = std::uint64_t;

  ConnectionTable(std::size_t limit, std::size_t limit_per_peer)
      : limit_(limit), limit_per_peer_(limit_per_peer) {}

  struct Admission {
    std::optional<Id> id;      // nothing: turned away, since every candidate is busy
    std::optional<Id> victim;  // to close; it no longer counts
  };
  Admission admit(const std::string& peer);
  // A request has come in, or its reply has gone out. Without effect on one that no longer counts.
  void set_busy(Id id, bool busy);
  void remove(Id id);
  // The connection that has been idle for the longest, of all; it no longer counts.
  std::optional<Id> take_idlest();

  std::size_t size() const { return connections_.size(); }

 private:
  struct Connection {
    std::string peer;
    std::uint64_t idle_since = 0;  // in calls of this table; 0: busy
  };
  std::optional<Id> idlest(const std::string* peer) const;
  const std::string& largest_peer() const;

  const std::size_t limit_, limit_per_peer_;
  std::map<Id, Connection> connections_;
  std::map<std::string, std::size_t> per_peer_;
  std::uint64_t ticks_ = 0;
};

}  // namespace podium::server
