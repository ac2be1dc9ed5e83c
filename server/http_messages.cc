#include "server/http_messages.h"

#include <boost/beast/core/string.hpp>
#include <boost/beast/http/error.hpp>
#include <string>
#include <utility>

namespace podium::server {
namespace {

namespace http = boost::beast::http;
using boost::system::error_code;

}  // namespace

Request request_of(const HttpParser::value_type& message) {
  Request out;
  const std::string target(message.target());
  const auto mark = target.find('?');
  out.method = std::string(message.method_string());
  out.path = target.substr(0, mark);
  if (mark != std::string::npos) out.query = target.substr(mark + 1);
  out.authorization = std::string(message[http::field::authorization]);
  out.accept = std::string(message[http::field::accept]);
  out.content_type = std::string(message[http::field::content_type]);
  out.if_none_match = std::string(message[http::field::if_none_match]);
  return out;
}

HttpResponse response_of(Reply reply, const HttpParser::value_type& request) {
  HttpResponse out(static_cast<http::status>(reply.status), request.version());
  if (!reply.content_type.empty()) out.set(http::field::content_type, reply.content_type);
  out.set(http::field::cache_control, "no-cache, private");
  out.set("X-Content-Type-Options", "nosniff");
  if (reply.status == 405) out.set(http::field::allow, "GET, HEAD");
  for (const auto& [name, value] : reply.headers) out.set(name, value);
  out.keep_alive(request.keep_alive());
  out.body() = std::move(reply.body);
  out.prepare_payload();
  if (request.method() == http::verb::head) out.body().clear();
  return out;
}

bool waits_to_continue(const HttpParser& parser) {
  return boost::beast::iequals(parser.get()[http::field::expect], "100-continue");
}

bool is_end(const error_code& error) {
  const error_code end = http::error::partial_message;
  return error && (error == end || error.category() != end.category());
}

bool is_about_header(const error_code& error) {
  const error_code end = http::error::end_of_stream, cut = http::error::partial_message;
  return error.category() == end.category() && error != end && error != cut;
}

Reply refusal_of_header(const error_code& error) {
  const bool too_large = error == http::error::header_limit || error == http::error::buffer_overflow;
  return too_large ? Reply(431, "431 Request Header Fields Too Large\n") : Reply(400, "400 Bad Request\n");
}

}  // namespace podium::server
