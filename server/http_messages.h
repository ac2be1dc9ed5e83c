// What Beast parses and writes as a Request and a Reply, and what its errors say about a client.
//
// Threads: pure functions. Errors: none; a header that is wrong has a Reply.
#pragma once

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/system/error_code.hpp>

#include "server/messages.h"

namespace podium::server {

using HttpParser = boost::beast::http::request_parser<boost::beast::http::string_body>;
using HttpResponse = boost::beast::http::response<boost::beast::http::string_body>;

// Without what is of the connection: its peer, its certificates, and how to read the body.
Request request_of(const HttpParser::value_type& message);
HttpResponse response_of(Reply reply, const HttpParser::value_type& request);

// True if the client waits for a "100 Continue" before it sends the body.
bool waits_to_continue(const HttpParser& parser);

// True at the end of the body; false: the received data is not valid.
bool is_end(const boost::system::error_code& error);
// True if the header arrived and is not valid or too large; false: the connection failed.
bool is_about_header(const boost::system::error_code& error);
// As Go's server, which also sends 431 for a path that is too long.
Reply refusal_of_header(const boost::system::error_code& error);

}  // namespace podium::server
