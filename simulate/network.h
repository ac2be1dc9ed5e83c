// Network: what is between the engines and the modelled API server, with its faults.
//
// connect() gives a Transport. Each batch of requests, and each watch, meets a fate that the dice choose
// among the life's faults; after heal() nothing goes wrong any more. What is under way still meets its
// fate, at most a minute later.
// Owner: a Life. Threads: one. Errors: those of client::Transport.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "client/http/transport.h"
#include "simulate/agenda.h"
#include "simulate/api_server.h"
#include "simulate/dice.h"
#include "simulate/faults.h"

namespace podium::simulate {

// One process of podium, as the network sees it.
struct Host {
  std::string identity;
  bool is_cut = false;  // crashed: nothing leaves it, and nothing reaches it
};
using HostPtr = std::shared_ptr<Host>;

struct Exchange;
struct Pipe;

class Network {
 public:
  Network(Agenda& agenda, ApiServer& server, Faults faults, Dice dice);

  // Called as a coroutine hands a request over, before it is on its way.
  std::function<void(const Host&, const client::Request&)> begins;
  // Called as the bytes of a request go out; and as the server has answered it, with 0 for a watch.
  std::function<void(const Host&, const client::Request&)> sent;
  std::function<void(const Host&, const client::Request&, int status)> served;
  // Called as a request arrives that is carried out, with the time at which it was sent.
  std::function<void(Steady sent_at)> arrives;
  // Called as a reply arrives at who still waits for it.
  std::function<void(const Host&, const client::Request&, const client::Response&)> answered;

  // Called as whole lines of a watch arrive, or the page of a list.
  std::function<void(const Host&, const std::string& plural, std::string_view objects)> read;

  // A transport of the host. Its coroutines run on the executor, its waits on the agenda.
  std::shared_ptr<client::Transport> connect(HostPtr host, client::MayWrite may_write);
  void heal() { healed_ = true; }
  // The server does nothing until then.
  void silence(Steady::duration time) { silent_until_ = agenda_.now() + time; }

  // --- for the transports ---
  struct Fate {
    Steady::duration up{}, down{};  // on the way there and back
    std::size_t done = 0;           // requests that are carried out, from the first
    std::size_t answered = 0;       // of these
    bool cuts = false;              // the rest ends with an error; else with the client's patience
    bool twice = false;
  };
  bool refuses();
  bool has_lost_events() const { return has_lost_events_; }
  // Somebody waits for an answer that is lost.
  bool has_lost_exchanges() const;
  Steady::duration dial();
  void send(const std::shared_ptr<Exchange>& exchange);
  void open(const std::shared_ptr<Exchange>& exchange);
  Agenda& agenda() { return agenda_; }

 private:
  bool strikes(Fault fault);
  Fate fate(std::size_t requests);
  void note_lost(const std::shared_ptr<Exchange>& exchange, const Fate& fate);
  void arrive(const std::shared_ptr<Exchange>& exchange, const Fate& fate, Steady sent_at);
  void arrive_watch(const std::shared_ptr<Exchange>& exchange, const Fate& fate, Steady sent_at);
  client::Response serve(const Host& host, const client::Request& request);
  std::optional<client::Response> refusal(const client::Request& request, bool* after);
  void push(const std::shared_ptr<Pipe>& pipe, std::string line);
  void deliver(const std::shared_ptr<Pipe>& pipe, std::string bytes, bool end, bool cut);

  Agenda& agenda_;
  ApiServer& server_;
  const Faults faults_;
  Dice dice_;
  const std::uint64_t rarity_;  // a fault strikes one in so many times
  bool healed_ = false, has_lost_events_ = false;
  Steady silent_until_{};
  std::vector<std::weak_ptr<Exchange>> lost_;
};

}  // namespace podium::simulate
