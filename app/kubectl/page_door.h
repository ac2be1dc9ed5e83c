// PageDoor: serves `podium page` to a browser on this machine: the page's files from this program, and below
// /v1/ the replies of podium's HTTPS API, called with the caller's own credentials.
//
// All paths are below /SECRET/, which no other page or user of the machine can guess. Only the loopback's own
// names are accepted as Host, against DNS rebinding. Only /v1/ is forwarded, with Content-Type
// as its only header. /ui/door.json has the names of the kubeconfig: its context, user and namespace.
//
// Owner: a command. Threads: one. Errors: each failure is a reply.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "app/page/page.h"
#include "client/auth/context_names.h"
#include "client/http/transport.h"
#include "server/messages.h"

namespace podium::kubectl {

struct BrowserRequest {
  BrowserRequest() {}  // not an aggregate: see server::Request

  std::string method, target, host;  // host: the header
  std::string content_type, if_none_match, body;
};

class PageDoor {
 public:
  PageDoor(std::shared_ptr<client::Transport> podium, std::string secret, client::ContextNames names = {})
      : podium_(std::move(podium)), secret_(std::move(secret)), names_(std::move(names)) {}

  void serve_at(std::uint16_t port) { port_ = port; }
  std::string url() const;
  client::Task<server::Reply> answer(BrowserRequest request) { return answer(this, std::move(request)); }
  // Empty: podium answers. Else the reason why it does not.
  client::Task<std::string> probe() { return probe(this); }

 private:
  static client::Task<server::Reply> answer(PageDoor* self, BrowserRequest request);
  server::Reply names() const;
  static client::Task<server::Reply> forward(PageDoor* self, BrowserRequest request, std::string target);
  static client::Task<std::string> probe(PageDoor* self);

  const std::shared_ptr<client::Transport> podium_;
  const std::string secret_;
  const client::ContextNames names_;
  const app::page::Page page_;
  std::uint16_t port_ = 0;
};

// 128 random bits, as text.
std::string new_secret();

}  // namespace podium::kubectl
