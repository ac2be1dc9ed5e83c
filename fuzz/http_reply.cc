// HTTP replies of API servers and extenders: however they are cut, they read the same.
#include <optional>
#include <string>
#include <vector>

#include "client/http/http_reply.h"
#include "fuzz/driver/require.h"
#include "fuzz/fuzzers.h"

namespace podium::fuzz {
namespace {

constexpr std::size_t kBody = 4096, kReplies = 8;

// One reply of several on a connection, and the kind of the error where it fails.
struct Read {
  int status = 0, retry_after = 0;
  std::string body, warning;
  bool keep_alive = false;
  std::optional<Error::Kind> error;
  bool operator==(const Read&) const = default;
};

struct Wire {
  std::string_view bytes;  // that have not arrived
  std::size_t piece;       // bytes that arrive at the same time
  std::string rest;        // that arrived after the last reply
};

Read read_one(Wire& wire) {
  client::HttpReply reply(kBody);
  auto fed = reply.feed(wire.rest);
  while (fed && !reply.done()) {
    const auto part = wire.bytes.substr(0, wire.piece);
    wire.bytes.remove_prefix(part.size());
    fed = part.empty() ? reply.feed_end() : reply.feed(part);
  }
  Read out;
  if (!fed) {
    out.error = fed.error().kind;
    return out;
  }
  wire.rest = reply.take_rest();
  out.status = reply.status();
  out.retry_after = reply.retry_after();
  out.body = reply.take_body();
  out.warning = reply.warning();
  out.keep_alive = reply.keep_alive();
  require(out.body.size() <= kBody, "a body has a bound");
  require(out.status / 100 != 1, "1xx is not a reply", std::to_string(out.status));
  require(out.retry_after >= 0, "a pause is not negative");
  return out;
}

std::vector<Read> read_all(std::string_view bytes, std::size_t piece) {
  Wire wire{bytes, piece, {}};
  std::vector<Read> out;
  while (out.size() < kReplies && (out.empty() || (!out.back().error && out.back().keep_alive)) &&
         !(wire.bytes.empty() && wire.rest.empty()))
    out.push_back(read_one(wire));
  return out;
}

}  // namespace

void http_reply(std::string_view input) {
  const auto whole = read_all(input, input.size() + 1);
  for (const std::size_t piece :
       {std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{64}, std::size_t{1460}}) {
    if (piece < 64 && input.size() > 8192) continue;
    auto cut = read_all(input, piece);
    if (planted() && piece == 7 && !cut.empty() && cut.front().body.size() > 20 &&
        cut.front().retry_after > 60)
      cut.front().body.pop_back();
    require(cut == whole, "a reply reads the same however it arrives", std::to_string(piece));
  }
}

}  // namespace podium::fuzz
