#include "client/auth/url.h"

#include <algorithm>
#include <boost/url/encode.hpp>
#include <boost/url/parse.hpp>
#include <boost/url/rfc/unreserved_chars.hpp>
#include <boost/url/url_view.hpp>
#include <charconv>

namespace podium::client {

std::string ServerUrl::authority() const {
  bool brackets = host.find(':') != std::string::npos;
  return (brackets ? "[" + host + "]" : host) + ":" + port;
}

Result<ServerUrl> parse_server_url(std::string_view text) {
  // The URL is not quoted in errors: it may carry a password.
  auto parsed = boost::urls::parse_uri({text.data(), text.size()});
  if (!parsed) return invalid("must be a URL such as https://host:port");
  const boost::urls::url_view& url = *parsed;
  ServerUrl out;
  if (url.scheme_id() != boost::urls::scheme::https && url.scheme_id() != boost::urls::scheme::http)
    return invalid("must begin with https:// or http://");
  out.tls = url.scheme_id() == boost::urls::scheme::https;
  if (url.has_userinfo()) return invalid("must not carry a user or password");
  if (url.has_query() || url.has_fragment()) return invalid("must not carry a query or fragment");
  if (url.encoded_host().empty()) return invalid("has no host");
  out.host = url.host_address();
  if (url.has_port() && !url.port().empty()) {
    out.port = std::string(url.port());
    std::uint16_t number = 0;
    auto [end, bad] = std::from_chars(out.port.data(), out.port.data() + out.port.size(), number);
    if (bad != std::errc() || number == 0) return invalid("the port is not between 1 and 65535");
  } else {
    out.port = out.tls ? "443" : "80";
  }
  out.prefix = std::string(url.encoded_path());
  while (!out.prefix.empty() && out.prefix.back() == '/') out.prefix.pop_back();
  return out;
}

std::string percent_encode(std::string_view text) {
  // Most texts need no encoding.
  if (std::ranges::all_of(text, boost::urls::unreserved_chars)) return std::string(text);
  return boost::urls::encode({text.data(), text.size()}, boost::urls::unreserved_chars);
}

}  // namespace podium::client
