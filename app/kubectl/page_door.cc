#include "app/kubectl/page_door.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/url/rfc/unreserved_chars.hpp>
#include <cstdlib>
#include <utility>

#include "server/status.h"

namespace podium::kubectl {
namespace {

using client::Task;
using server::Reply;

constexpr std::chrono::seconds kForward{60}, kProbe{10};

bool is_plain_segment(std::string_view text) {
  return !text.empty() && text != "." && text != ".." &&
         std::ranges::all_of(text, boost::urls::unreserved_chars);
}

// True if every server and proxy reads the same path: without empty segments, dots, escapes, backslashes and
// parameters. No path of podium's API has any of these, since they consist of DNS names.
bool is_plain_path(std::string_view path) {
  if (!path.starts_with('/')) return false;
  for (path.remove_prefix(1);;) {
    const auto slash = path.find('/');
    if (!is_plain_segment(path.substr(0, slash))) return false;
    if (slash == path.npos) return true;
    path.remove_prefix(slash + 1);
  }
}

// True if the query, with its question mark, is printable ASCII without a fragment.
bool is_plain_query(std::string_view query) {
  return std::ranges::all_of(query, [](char c) { return c > ' ' && c < 0x7f && c != '#'; });
}

}  // namespace

std::string new_secret() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) std::abort();
  std::string out;
  for (const auto byte : bytes) out += fmt::format("{:02x}", byte);
  return out;
}

std::string PageDoor::url() const { return fmt::format("http://127.0.0.1:{}/{}/ui/", port_, secret_); }

Task<Reply> PageDoor::answer(PageDoor* self, BrowserRequest request) {
  const bool is_own_name = request.host == fmt::format("127.0.0.1:{}", self->port_) ||
                           request.host == fmt::format("localhost:{}", self->port_);
  if (!is_own_name) co_return Reply(403, "not the name of this machine's loopback\n");
  const auto root = "/" + self->secret_;
  if (!request.target.starts_with(root + "/")) co_return Reply(404, "404 page not found\n");
  auto target = request.target.substr(root.size());
  const auto path = target.substr(0, target.find('?'));
  if (path == "/ui/door.json" && request.method == "GET") co_return self->names();
  if (app::page::Page::serves(path)) {
    server::Request of_page;
    of_page.method = request.method;
    of_page.path = path;
    of_page.if_none_match = request.if_none_match;
    auto file = self->page_.answer(of_page);
    file.headers.emplace_back("Podium-Credentials", "kubeconfig");  // so that it asks for no token
    co_return file;
  }
  if (!path.starts_with("/v1/")) co_return Reply(404, "404 page not found\n");
  if (request.method != "GET" && request.method != "POST") co_return Reply(405, "only GET and POST\n");
  if (!is_plain_path(path)) co_return Reply(400, "a path of podium's API consists of names\n");
  if (!is_plain_query(std::string_view(target).substr(path.size())))
    co_return Reply(400, "the query has characters that are not printable ASCII\n");
  auto forwarded = forward(self, std::move(request), std::move(target));
  co_return co_await std::move(forwarded);
}

Reply PageDoor::names() const {
  const boost::json::object document{
      {"context", names_.context}, {"user", names_.user}, {"namespace", names_.ns}};
  Reply reply(200, boost::json::serialize(document), "application/json");
  reply.headers.emplace_back("Cache-Control", "no-store");
  return reply;
}

Task<Reply> PageDoor::forward(PageDoor* self, BrowserRequest request, std::string target) {
  client::Request out;
  out.method = std::move(request.method);
  out.target = std::move(target);
  out.body = std::move(request.body);
  out.timeout = kForward;
  if (!request.content_type.empty()) out.content_type = std::move(request.content_type);
  const auto got = co_await self->podium_->send(std::move(out));
  if (!got)
    co_return server::status_reply(502, "BadGateway", "podium does not answer: " + got.error().text());
  Reply reply(got->status, got->body, "application/json");
  reply.headers.emplace_back("Cache-Control", "no-store");
  if (got->retry_after > 0) reply.headers.emplace_back("Retry-After", std::to_string(got->retry_after));
  co_return reply;
}

Task<std::string> PageDoor::probe(PageDoor* self) {
  client::Request request;
  request.target = "/healthz";
  request.timeout = kProbe;
  const auto got = co_await self->podium_->send(std::move(request));
  if (!got) co_return got.error().text();
  if (got->status == 404) co_return std::string("the server there is not podium");
  co_return std::string();
}

}  // namespace podium::kubectl
