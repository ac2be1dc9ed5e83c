#include "app/page/page.h"

#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cstdint>
#include <utility>

#include "app/page/asset.h"
#include "app/render/words.h"

namespace podium::app::page {

namespace json = boost::json;
using server::Reply;
using server::Request;

namespace {

constexpr std::string_view kStart = "index.html";

// By file extension.
constexpr std::pair<std::string_view, const char*> kTypes[] = {
    {".html", "text/html; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".json", "application/json"},
    {".svg", "image/svg+xml"},
};

constexpr std::pair<const char*, const char*> kHeaders[] = {
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
     "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"},
    {"X-Frame-Options", "DENY"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    // A browser revalidates each time and gets no body if its ETag matches. So it loads a new release of
    // podium immediately.
    {"Cache-Control", "no-cache"},
};

const char* type_of(std::string_view name) {
  for (const auto& [end, type] : kTypes) {
    if (name.ends_with(end)) return type;
  }
  return "text/plain; charset=utf-8";
}

// FNV-1a. The tag distinguishes releases; it is not for security.
std::string etag_of(std::string_view body) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const unsigned char c : body) hash = (hash ^ c) * 0x100000001b3;
  return fmt::format("\"{:016x}\"", hash);
}

json::array words(std::span<const render::Word> table) {
  json::array out;
  for (const auto& [name, text] : table) out.push_back(json::array{name, text});
  return out;
}

Reply plain(int status, std::string text) { return Reply(status, std::move(text)); }

Reply with_headers(Reply reply) {
  for (const auto& [name, value] : kHeaders) reply.headers.emplace_back(name, value);
  return reply;
}

bool has_tag(std::string_view if_none_match, std::string_view etag) {
  return if_none_match == "*" || if_none_match.contains(etag);
}

}  // namespace

Page::Page() {
  for (const auto& [name, body] : assets()) add(std::string(name), std::string(body));
  // The words of `kubectl podium`, so that both use the same. Those of reasons are next to each answer.
  add("words.json", json::serialize(json::object{{"strategies", words(render::strategy_table())}}));
}

void Page::add(std::string name, std::string body) {
  auto& file = files_[std::move(name)];
  file.etag = etag_of(body);
  file.body = std::move(body);
}

bool Page::serves(std::string_view path) { return path == "/ui" || path.starts_with(kRoot); }

Reply Page::answer(const Request& request) const {
  if (request.method != "GET" && request.method != "HEAD")
    return with_headers(plain(405, "only GET and HEAD\n"));
  if (request.path == "/ui") {
    auto moved = plain(308, "/ui/\n");
    moved.headers.emplace_back("Location", "ui/");  // relative: a proxy may put a path before it
    return with_headers(std::move(moved));
  }
  const auto name = std::string_view(request.path).substr(kRoot.size());
  const auto file = files_.find(name.empty() ? kStart : name);
  if (file == files_.end()) return with_headers(plain(404, "404 page not found\n"));
  const bool is_known = has_tag(request.if_none_match, file->second.etag);
  Reply reply(is_known ? 304 : 200, is_known ? std::string() : file->second.body, type_of(file->first));
  reply.headers.emplace_back("ETag", file->second.etag);
  return with_headers(std::move(reply));
}

}  // namespace podium::app::page
