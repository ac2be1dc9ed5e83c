// ApiServer: the modelled API server: verbs, preconditions, subresources, paged lists and watches.
//
// It handles all requests that podium sends, with the parts of the replies that podium reads. An unknown
// request is a failure of the simulation: it calls `unknown` and replies 501.
// Owner: a Life. Threads: one. Errors: HTTP statuses, with the Status that the API server sends.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/http/transport.h"
#include "simulate/protocol/route.h"
#include "simulate/server/store.h"
#include "simulate/server/watches.h"

namespace podium::simulate {

class ApiServer {
 public:
  ApiServer(Store& store, Agenda& agenda, Dice dice);

  std::function<void(const client::Request&, std::string_view why)> unknown;
  // The reason why a "create" or "delete" is refused, as by a quota or a policy; nullopt: allowed.
  std::function<std::optional<std::string>(std::string_view verb, const Key&)> refuses;
  std::size_t page = 500;  // the maximum number of items of a page of a list

  // `by`: the client; a write's Commit records it.
  client::Response serve(const client::Request& request, const std::string& by);
  // A watch, or the reason why there is none.
  struct Opened {
    std::shared_ptr<Watch> watch;
    Route route;
    client::Response refusal;
  };
  Opened open(const client::Request& request);
  void begin(const Opened& opened) { watches_.begin(opened.watch, opened.route); }
  Watches& watches() { return watches_; }

  // As the kubelet does at the end of a pod's grace period, and as users do.
  void remove(const Key& key, const std::string& by) {
    if (store_.find(key)) store_.remove(key, by);
  }

 private:
  using Response = client::Response;
  struct Page {
    std::vector<StoredPtr> items;  // the remaining ones
    Version version = 0;
  };

  Response get(const Route& route) const;
  Response list(const Route& route, bool brief);
  Response create(const Route& route, const client::Request& request, const std::string& by);
  Response bind(const Route& route, const json::value& body, const std::string& by);
  Response replace(const Route& route, json::value body, const std::string& by);
  Response put(const Route& route, const Stored& before, json::value after, const client::Request& request,
               const std::string& by);
  Response patch(const Route& route, const client::Request& request, const std::string& by);
  Response remove(const Route& route, const client::Request& request, const std::string& by);
  Response remove_all(const Route& route, const std::string& by);
  std::optional<Response> refusal(std::string_view verb, const Route& route) const;
  Response not_understood(const client::Request& request, std::string_view why) const;

  Store& store_;
  Agenda& agenda_;
  Dice dice_;
  Watches watches_;
  std::map<std::string, Page> pages_;  // by continue token
  std::uint64_t tokens_ = 0;
};

// A Status, as a reply's body.
client::Response status_reply(int code, std::string_view reason, std::string_view message);

}  // namespace podium::simulate
