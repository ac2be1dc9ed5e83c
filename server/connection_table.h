// ConnectionTable: decides which connections the server keeps, and which one it closes for a new one.
//
// Bounded in total and per peer address. At a bound, the connection idle for longest is closed (idle: no
// request in progress; an unfinished handshake is idle): of the new connection's peer if that peer is at its
// bound, else of the peer with the most connections, else of any. So one client cannot take all slots, nor
// push the others out.
// Owner: HttpsServer. Threads: one at a time. Pure: knows neither sockets nor time. Errors: none.
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
    std::optional<Id> id;      // nullopt: refused, because every candidate is busy
    std::optional<Id> victim;  // to be closed; removed from the table
  };
  Admission admit(const std::string& peer);
  // Busy from the arrival of a request until its reply is sent. No effect if the id was removed.
  void set_busy(Id id, bool busy);
  void remove(Id id);
  // Removes and returns the connection idle for longest.
  std::optional<Id> take_longest_idle();

  std::size_t size() const { return connections_.size(); }

 private:
  struct Connection {
    std::string peer;
    std::uint64_t idle_since = 0;  // in ticks_; 0: busy
  };
  std::optional<Id> longest_idle(const std::string* peer) const;
  const std::string& largest_peer() const;

  const std::size_t limit_, limit_per_peer_;
  std::map<Id, Connection> connections_;
  std::map<std::string, std::size_t> per_peer_;
  std::uint64_t ticks_ = 0;
};

}  // namespace podium::server
