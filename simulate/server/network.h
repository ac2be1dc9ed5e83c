// Network: the connections between the engines and the modelled API server, with their faults.
//
// connect() gives a Transport. Each batch of requests, and each watch, meets a fate that the dice choose
// among the life's faults; after heal() no new faults occur. Requests in flight still meet their
// fate, at most a minute later.
// Owner: a Life. Threads: one. Errors: those of client::Transport.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "client/http/transport.h"
#include "simulate/base/agenda.h"
#include "simulate/base/dice.h"
#include "simulate/server/api_server.h"
#include "simulate/server/faults.h"

namespace podium::simulate {

// One process of podium, as the network sees it.
struct Host {
  std::string identity;
  bool is_cut = false;  // crashed: nothing leaves it, and nothing reaches it
};
using HostPtr = std::shared_ptr<Host>;

struct WireExchange;
struct Piece;
struct Pipe;

class Network {
 public:
  Network(Agenda& agenda, ApiServer& server, Faults faults, Dice dice);

  // Called when a coroutine passes a request, before it is sent.
  std::function<void(const Host&, const client::Request&)> begins;
  // Called when the bytes of a request are sent; and when the server has answered it, with 0 for a watch.
  std::function<void(const Host&, const client::Request&)> sent;
  std::function<void(const Host&, const client::Request&, int status)> served;
  // Called when a request arrives that takes effect, with the time at which it was sent.
  std::function<void(Steady sent_at)> arrives;
  // Called when a reply arrives and its coroutine still waits for it.
  std::function<void(const Host&, const client::Request&, const client::Response&)> answered;

  // Called when a host takes bytes of a watch, with the whole lines that it has then.
  std::function<void(const Host&, const std::string& plural, std::string_view objects)> read;

  // A transport of the host. Its coroutines run on the executor, its waits on the agenda.
  std::shared_ptr<client::Transport> connect(HostPtr host, client::MayWrite may_write);
  void heal() { healed_ = true; }
  // The server does nothing until then.
  void silence(Steady::duration time) { silent_until_ = agenda_.now() + time; }

  // --- for the transports ---
  struct Fate {
    Steady::duration up{}, down{};  // delays of the request and of the reply
    std::size_t done = 0;           // the first requests that take effect
    std::size_t answered = 0;       // of these
    bool cuts = false;              // the rest ends with an error; else with the client's timeout
    bool twice = false;
  };
  bool refuses();
  bool has_lost_events() const { return has_lost_events_; }
  // A client waits for a lost reply.
  bool has_lost_exchanges() const;
  Steady::duration dial();
  void send(const std::shared_ptr<WireExchange>& exchange);
  void open(const std::shared_ptr<WireExchange>& exchange);
  Agenda& agenda() { return agenda_; }

 private:
  bool strikes(Fault fault);
  Fate fate(std::size_t requests);
  void note_lost(const std::shared_ptr<WireExchange>& exchange, const Fate& fate);
  void arrive(const std::shared_ptr<WireExchange>& exchange, const Fate& fate, Steady sent_at);
  void arrive_watch(const std::shared_ptr<WireExchange>& exchange, const Fate& fate, Steady sent_at);
  client::Response serve(const Host& host, const client::Request& request);
  std::optional<client::Response> refusal(const client::Request& request, bool* after);
  void push(const std::shared_ptr<Pipe>& pipe, std::string line);
  void deliver(const std::shared_ptr<Pipe>& pipe, Piece piece, bool end, bool cut);

  Agenda& agenda_;
  ApiServer& server_;
  const Faults faults_;
  Dice dice_;
  const std::uint64_t rarity_;  // a fault occurs once in this many times
  bool healed_ = false, has_lost_events_ = false;
  Steady silent_until_{};
  std::vector<std::weak_ptr<WireExchange>> lost_;
};

}  // namespace podium::simulate
