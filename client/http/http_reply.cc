#include "client/http/http_reply.h"

#include <fmt/format.h>

#include <boost/beast/http/basic_parser.hpp>
#include <charconv>

namespace podium::client {

namespace http = boost::beast::http;
using boost::beast::string_view;
using boost::system::error_code;

namespace {

// Bytes of a reply that are read and not parsed yet. Beast bounds headers, but waits for the end of a chunk
// extension or a trailer whatever its length.
constexpr std::size_t kUnparsedBytes = 64 * 1024;

// The text of a Warning header: `299 - "text"`.
std::string_view warning_text(std::string_view value) {
  auto first = value.find('"'), last = value.rfind('"');
  return first == last ? value : value.substr(first + 1, last - first - 1);
}

}  // namespace

class HttpReply::Parser final : public http::basic_parser<false> {
 public:
  Parser(std::size_t limit, std::shared_ptr<BodyBudget> budget) : part(std::move(budget)), limit_(limit) {
    eager(true);
    header_limit(kUnparsedBytes);
    body_limit(boost::none);  // counted below, because a watch has no total limit
  }

  int status = 0, retry_after = 0;
  std::string warning, body;
  BodyBudget::Part part;

 private:
  void on_request_impl(http::verb, string_view, string_view, int, error_code&) override {}
  void on_response_impl(int code, string_view, int, error_code&) override { status = code; }

  void on_field_impl(http::field name, string_view, string_view value, error_code&) override {
    if (name == http::field::retry_after) {
      std::from_chars(value.data(), value.data() + value.size(), retry_after);
      retry_after = std::max(retry_after, 0);
    } else if (name == http::field::warning && warning.size() < 4096) {
      if (!warning.empty()) warning += "; ";
      warning += warning_text({value.data(), value.size()});
    }
  }

  void on_header_impl(error_code&) override {}

  void on_body_init_impl(boost::optional<std::uint64_t> const& length, error_code& error) override {
    if (!length) return;
    if (*length > limit_ || !part.grow(*length))
      error = http::error::body_limit;
    else
      body.reserve(*length);
  }

  std::size_t on_body_impl(string_view part, error_code& error) override { return append(part, error); }
  void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, string_view part, error_code& error) override {
    return append(part, error);
  }
  void on_finish_impl(error_code&) override {}

  std::size_t append(string_view bytes, error_code& error) {
    if (bytes.size() > limit_ - body.size() || !part.grow(body.size() + bytes.size())) {
      error = http::error::body_limit;
      return 0;
    }
    body.append(bytes.data(), bytes.size());
    return bytes.size();
  }

  const std::size_t limit_;
};

HttpReply::HttpReply(std::size_t body_limit, std::shared_ptr<BodyBudget> budget)
    : parser_(std::make_unique<Parser>(body_limit, std::move(budget))), body_limit_(body_limit) {}
HttpReply::~HttpReply() = default;
HttpReply::HttpReply(HttpReply&&) noexcept = default;

Result<void> HttpReply::feed(std::string_view bytes) {
  started_ = started_ || !bytes.empty();
  std::string joined;
  if (!pending_.empty()) {
    joined = std::move(pending_);
    joined += bytes;
    bytes = joined;
    pending_.clear();
  }
  while (!bytes.empty() && !parser_->is_done()) {
    error_code error;
    std::size_t used = parser_->put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
    bytes.remove_prefix(used);
    if (error == http::error::need_more) break;
    if (error == http::error::body_limit) {
      return fail(Error::Kind::too_large, "reply body over " + std::to_string(body_limit_) +
                                              " bytes, or all replies together over their bound");
    }
    if (error) return fail(Error::Kind::unavailable, "not an HTTP reply: " + error.message());
    // Skips 1xx replies; the final one follows. Source of the bound: net/http, max1xxResponses.
    if (parser_->is_done() && parser_->status / 100 == 1) {
      if (++informational_ > 5)
        return fail(Error::Kind::unavailable, "not an HTTP reply: too many 1xx informational responses");
      parser_ = std::make_unique<Parser>(body_limit_, parser_->part.budget());
    }
  }
  if (!parser_->is_done() && bytes.size() > kUnparsedBytes)
    return fail(Error::Kind::unavailable,
                fmt::format("not an HTTP reply: more than {} bytes of it are neither "
                            "header nor body",
                            kUnparsedBytes));
  pending_ = bytes;
  return {};
}

Result<void> HttpReply::feed_end() {
  if (done()) return {};
  error_code error;
  if (pending_.empty() && parser_->got_some()) parser_->put_eof(error);
  if (done() && !error) return {};
  return fail(Error::Kind::unavailable, started_ ? "the reply was cut short" : "closed before a reply");
}

bool HttpReply::started() const { return started_; }
bool HttpReply::has_head() const { return parser_->is_header_done(); }
bool HttpReply::done() const { return parser_->is_done(); }
bool HttpReply::keep_alive() const { return done() && parser_->keep_alive(); }
bool HttpReply::reusable() const { return keep_alive() && pending_.empty(); }
std::string HttpReply::take_rest() { return std::exchange(pending_, {}); }
int HttpReply::status() const { return parser_->status; }
int HttpReply::retry_after() const { return parser_->retry_after; }
const std::string& HttpReply::warning() const { return parser_->warning; }

std::string HttpReply::take_body() {
  parser_->part.shrink();
  return std::exchange(parser_->body, {});
}

}  // namespace podium::client
