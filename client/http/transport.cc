#include "client/http/transport.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/thread_pool.hpp>

#include "client/auth/url.h"
#include "client/http/dialer.h"
#include "client/http/handoff.h"
#include "client/http/http_reply.h"
#include "client/http/pool.h"
#include "client/http/reply_pace.h"

namespace podium::client {

namespace asio = boost::asio;

Task<std::vector<Result<Response>>> Transport::send_all(std::vector<Request> requests) {
  std::vector<Result<Response>> answers;
  for (auto& request : requests) answers.push_back(co_await send(std::move(request)));
  co_return answers;
}

bool is_request_target(std::string_view target) {
  return target.starts_with('/') &&
         std::none_of(target.begin(), target.end(), [](unsigned char c) { return c <= ' ' || c == 127; });
}

std::unexpected<Error> not_leader() { return fail(Error::Kind::not_leader, "not sent: no longer leading"); }

namespace {

// Long compared with the time the API server takes to send one watch event.
constexpr std::chrono::milliseconds kRestOfStreams{5};

std::string impersonation_headers(const Impersonation& as) {
  std::string out;
  if (!as.user.empty()) out += "Impersonate-User: " + as.user + "\r\n";
  for (const auto& group : as.groups) out += "Impersonate-Group: " + group + "\r\n";
  return out;
}

// Only reads are safe to resend: a resent PUT may conflict with itself, a resent DELETE may find nothing.
bool reads_only(const std::string& method) { return method == "GET"; }

class HttpStream final : public Stream {
 public:
  HttpStream(std::unique_ptr<Connection> connection, std::unique_ptr<HttpReply> reply)
      : connection_(std::move(connection)), reply_(std::move(reply)) {}

  int status() const override { return reply_->status(); }

  Task<Result<std::string>> read(std::chrono::milliseconds silence) override {
    std::string piece = reply_->take_body();
    if (!piece.empty() || reply_->done()) co_return Result<std::string>(std::move(piece));
    connection_->set_deadline(std::chrono::steady_clock::now() + silence);
    while (piece.empty() && !reply_->done()) {
      auto bytes = co_await connection_->read();
      if (!bytes) co_return std::unexpected(std::move(bytes.error()));
      auto fed = bytes->empty() ? reply_->feed_end() : reply_->feed(*bytes);
      if (!fed) co_return std::unexpected(std::move(fed.error()));
      piece = reply_->take_body();
    }
    connection_->clear_deadline();
    co_return Result<std::string>(std::move(piece));
  }

  void close() override { connection_->end(Error::Kind::cancelled); }

 private:
  std::unique_ptr<Connection> connection_;
  std::unique_ptr<HttpReply> reply_;
};

class HttpTransport final : public Transport, public std::enable_shared_from_this<HttpTransport> {
 public:
  HttpTransport(asio::any_io_executor executor, ClientConfig config, TransportLimits limits,
                MayWrite may_write)
      : limits_(limits),
        may_write_(std::move(may_write)),
        token_(config.token),
        url_(parse_server_url(config.server)),
        watchdog_(std::make_shared<Watchdog>(executor)),
        pool_(std::make_shared<Pool>(watchdog_, limits.connections, limits.idle)),
        dialer_(executor, watchdog_, url_.value_or(ServerUrl{}), config, limits.reload) {
    if (!url_)
      url_.error().message = "server: " + url_.error().message;
    else
      common_headers_ = "Host: " + url_->authority() + "\r\nUser-Agent: podium\r\n" +
                        impersonation_headers(config.impersonate);
  }

  ~HttpTransport() override { close(); }

  Task<Result<Response>> send(Request request) override {
    auto self = shared_from_this();
    auto deadline = std::chrono::steady_clock::now() + request.timeout;
    for (bool refreshed = false;; refreshed = true) {
      auto ready = co_await prepare(request, deadline);
      if (!ready) co_return std::unexpected(std::move(ready.error()));
      auto response = co_await exchange(ready->text, request.method, deadline);
      if (!response || response->status != 401 || refreshed) co_return response;
      if (!co_await has_newer_token(ready->token, deadline)) co_return response;
    }
  }

  Task<std::vector<Result<Response>>> send_all(std::vector<Request> requests) override {
    auto self = shared_from_this();
    std::vector<Result<Response>> answers;
    answers.reserve(requests.size());
    if (requests.empty()) co_return answers;
    const auto deadline = std::chrono::steady_clock::now() + requests.front().timeout;
    auto done = co_await exchange_all(requests, deadline, answers);
    while (answers.size() < requests.size()) answers.push_back(std::unexpected(done.error()));
    co_return answers;
  }

  Task<Result<std::unique_ptr<Stream>>> open(Request request) override {
    auto self = shared_from_this();
    auto deadline = std::chrono::steady_clock::now() + request.timeout;
    for (bool refreshed = false;; refreshed = true) {
      auto ready = co_await prepare(request, deadline);
      if (!ready) co_return std::unexpected(std::move(ready.error()));
      auto connection = co_await dial(deadline);
      if (!connection) co_return std::unexpected(std::move(connection.error()));
      (*connection)->set_deadline(deadline);
      auto reply = std::make_unique<HttpReply>(limits_.body_bytes, budget_);
      auto head = co_await converse(**connection, request.method, ready->text, *reply, true);
      if (!head) co_return std::unexpected(std::move(head.error()));
      (*connection)->clear_deadline();
      (*connection)->set_rest(kRestOfStreams);
      if (reply->status() == 401 && !refreshed && co_await has_newer_token(ready->token, deadline)) continue;
      std::unique_ptr<Stream> stream = std::make_unique<HttpStream>(std::move(*connection), std::move(reply));
      co_return Result<std::unique_ptr<Stream>>(std::move(stream));
    }
  }

  void close() override {
    watchdog_->close();
    pool_->close();
    if (token_) token_->cancel();
  }

 private:
  struct Prepared {
    std::string token, text;
  };

  Task<Result<Prepared>> prepare(const Request& request, Steady deadline) {
    auto token = co_await current_token(deadline);
    if (!token) co_return std::unexpected(std::move(token.error()));
    auto text = compose(request, *token);
    if (!text) co_return std::unexpected(std::move(text.error()));
    co_return Prepared{std::move(*token), std::move(*text)};
  }

  // Returns whether another token is available after a 401. The request was not executed, so any method may
  // be sent again.
  Task<bool> has_newer_token(const std::string& rejected, Steady deadline) {
    if (!token_) co_return false;
    token_->refresh();
    auto token = co_await current_token(deadline);
    co_return token && *token != rejected;
  }

  Result<std::string> compose(const Request& request, const std::string& token) const {
    std::string text;
    text.reserve(size_of(request, token));
    auto composed = compose(request, token, text);
    if (!composed) return std::unexpected(std::move(composed.error()));
    return text;
  }

  struct Texts {
    std::string all;
    std::vector<std::size_t> ends;  // of each request
  };

  // Takes the bodies of the requests.
  Result<Texts> compose_all(std::vector<Request>& requests, const std::string& token) const {
    std::size_t size = 0;
    for (const auto& request : requests) size += size_of(request, token);
    Texts out;
    out.all.reserve(size);
    out.ends.reserve(requests.size());
    for (auto& request : requests) {
      auto composed = compose(request, token, out.all);
      if (!composed) return std::unexpected(std::move(composed.error()));
      request.body = std::string();  // else it exists twice until the replies arrive
      out.ends.push_back(out.all.size());
    }
    return out;
  }

  // A bit more than the request takes.
  static std::size_t size_of(const Request& request, const std::string& token) {
    return 512 + request.target.size() + token.size() + request.body.size();
  }

  // Appends the request.
  Result<void> compose(const Request& request, const std::string& token, std::string& text) const {
    if (!url_) return std::unexpected(url_.error());
    if (!is_request_target(request.target)) return invalid("not a request target: " + request.target);
    text.append(request.method)
        .append(" ")
        .append(url_->prefix)
        .append(request.target)
        .append(" HTTP/1.1\r\n");
    text.append(common_headers_).append("Accept: ").append(request.accept).append("\r\n");
    if (!token.empty()) text.append("Authorization: Bearer ").append(token).append("\r\n");
    if (!request.body.empty()) text.append("Content-Type: ").append(request.content_type).append("\r\n");
    if (!request.body.empty() || (request.method != "GET" && request.method != "DELETE"))
      text.append("Content-Length: ").append(std::to_string(request.body.size())).append("\r\n");
    text.append("\r\n").append(request.body);
    return {};
  }

  // Waits for a process or a file on a separate thread, not on an I/O thread. Also refreshes the TLS context;
  // the dialer uses the current one.
  Task<Result<std::string>> current_token(Steady deadline) {
    const auto tls = url_ ? dialer_.tls() : nullptr;
    if ((!token_ || token_->ready()) && (!tls || tls->ready()))
      co_return token_ ? token_->current() : Result<std::string>("");
    auto executor = co_await asio::this_coro::executor;
    auto answer = std::make_shared<Handoff<Result<std::string>>>(executor, watchdog_, deadline);
    auto* const thread = token_thread();
    if (!thread)
      co_return fail(Error::Kind::unavailable, "get a token or certificate: the system has no free thread");
    asio::post(*thread, [answer, token = token_, tls] {
      auto got = token ? token->current() : Result<std::string>("");
      if (got && tls) {
        if (auto current = tls->current(); !current) got = std::unexpected(std::move(current.error()));
      }
      answer->put(got);
    });
    auto got = co_await answer->wait("get a token or certificate");
    if (!got) co_return std::unexpected(std::move(got.error()));
    co_return std::move(*got);
  }

  // Null if the system has no thread left.
  asio::thread_pool* token_thread() {
    try {
      std::call_once(token_thread_once_, [this] { token_thread_.emplace(1); });
    } catch (const std::exception&) {
      return nullptr;
    }
    return &*token_thread_;
  }

  Task<Result<std::unique_ptr<Connection>>> dial(Steady deadline) {
    co_return co_await dialer_.dial(std::min(deadline, std::chrono::steady_clock::now() + limits_.connect));
  }

  bool may_send(const std::string& method) const { return reads_only(method) || !may_write_ || may_write_(); }

  // Writes the request and reads the reply, or only its head.
  Task<Result<void>> converse(Connection& connection, const std::string& method, const std::string& text,
                              HttpReply& reply, bool head_only) {
    // A server that rejects a body replies early and closes. So reads the reply even after a failed write.
    const MayWrite may_write = reads_only(method) ? MayWrite() : may_write_;
    auto written = co_await connection.write(text, may_write);
    if (!written && written.error().kind == Error::Kind::not_leader) co_return written;
    auto received = co_await receive(connection, reply, head_only);
    if (!received && !written) co_return written;
    co_return received;
  }

  Task<Result<void>> receive(Connection& connection, HttpReply& reply, bool head_only) {
    while (head_only ? !reply.has_head() : !reply.done()) {
      auto bytes = co_await connection.read();
      if (!bytes) co_return std::unexpected(std::move(bytes.error()));
      auto fed = bytes->empty() ? reply.feed_end() : reply.feed(*bytes);
      if (!fed) co_return std::unexpected(std::move(fed.error()));
    }
    co_return Result<void>();
  }

  // Appends one answer per request that was sent; on failure with maybe_applied. The returned error is that
  // of the requests that were not sent. Takes the bodies of the requests.
  Task<Result<void>> exchange_all(std::vector<Request>& requests, Steady deadline,
                                  std::vector<Result<Response>>& answers) {
    auto token = co_await current_token(deadline);
    if (!token) co_return std::unexpected(std::move(token.error()));
    const auto texts = compose_all(requests, *token);
    if (!texts) co_return std::unexpected(texts.error());
    const bool changes = std::ranges::any_of(requests, [](const auto& r) { return !reads_only(r.method); });
    const MayWrite may_write = changes ? may_write_ : MayWrite();
    if (may_write && !may_write()) co_return not_leader();
    auto slot = co_await connected_slot(deadline);
    if (!slot) co_return std::unexpected(std::move(slot.error()));
    Connection& connection = *slot->connection;
    connection.set_deadline(deadline);
    const bool together = requests.size() > 1;
    if (together) connection.set_rest(pace_.before_first_read(requests.size()));
    const auto begun = std::chrono::steady_clock::now();
    auto written = co_await connection.write(texts->all, may_write);
    if (!written && written.error().kind == Error::Kind::not_leader) {
      auto left = fail(Error::Kind::cancelled, "reply not awaited: no longer leading");
      in_doubt(answers, texts->ends, connection.wrote(), std::move(left.error()));
      if (connection.wrote() == 0) give_back_unused(*slot);
      co_return written;
    }
    std::string rest;
    while (answers.size() < requests.size()) {
      HttpReply reply(limits_.body_bytes, budget_);
      auto done = reply.feed(rest);
      if (done) done = co_await receive(connection, reply, false);
      if (!done) {
        if (!written) done = std::move(written);
        in_doubt(answers, texts->ends, connection.wrote(), done.error());
        co_return done;
      }
      rest = reply.take_rest();
      if (together) connection.set_rest(pace_.between_reads(requests.size()));
      answers.push_back(Response{reply.status(), reply.take_body(), reply.retry_after(), reply.warning()});
      // A server that closes after this reply has not processed the requests behind it.
      if (!reply.keep_alive() && answers.size() < requests.size()) {
        co_return fail(Error::Kind::unavailable, "the server closed the connection after an earlier request");
      }
      if (!reply.keep_alive()) co_return Result<void>();
    }
    connection.clear_deadline();
    if (together) {
      pace_.answered(requests.size(),
                     std::chrono::duration_cast<ReplyPace::Time>(std::chrono::steady_clock::now() - begun));
      connection.set_rest(ReplyPace::Time(0));
    }
    if (rest.empty()) slot->give_back();
    co_return Result<void>();
  }

  // No byte of the request was sent, so the next request can use the connection.
  static void give_back_unused(Pool::Slot& slot) {
    if (!slot.connection) return;
    slot.connection->clear_deadline();
    slot.connection->set_rest(ReplyPace::Time(0));
    slot.give_back();
  }

  // Appends `error` for each unanswered request that was written completely; `wrote`: bytes of the batch.
  static void in_doubt(std::vector<Result<Response>>& answers, const std::vector<std::size_t>& ends,
                       std::size_t wrote, Error error) {
    error.maybe_applied = true;
    while (answers.size() < ends.size() && wrote >= ends[answers.size()]) {
      answers.push_back(std::unexpected(error));
    }
  }

  // A slot with a usable idle connection or a new one.
  Task<Result<Pool::Slot>> connected_slot(Steady deadline) {
    auto credentials = dialer_.credentials();
    if (!credentials) co_return std::unexpected(std::move(credentials.error()));
    auto slot = co_await pool_->acquire(deadline, credentials->generation);
    if (slot && !slot->connection) {
      auto fresh = co_await dial(deadline);
      if (!fresh) co_return std::unexpected(std::move(fresh.error()));
      slot->connection = std::move(*fresh);
    }
    co_return slot;
  }

  Task<Result<Response>> exchange(const std::string& text, const std::string& method, Steady deadline) {
    if (!may_send(method)) co_return not_leader();
    auto credentials = dialer_.credentials();
    if (!credentials) co_return std::unexpected(std::move(credentials.error()));
    auto slot = co_await pool_->acquire(deadline, credentials->generation);
    if (!slot) co_return std::unexpected(std::move(slot.error()));
    for (;;) {
      if (!may_send(method)) {
        give_back_unused(*slot);
        co_return not_leader();
      }
      bool reused = slot->connection != nullptr;
      if (!reused) {
        auto fresh = co_await dial(deadline);
        if (!fresh) co_return std::unexpected(std::move(fresh.error()));
        slot->connection = std::move(*fresh);
      }
      Connection& connection = *slot->connection;
      connection.set_deadline(deadline);
      HttpReply reply(limits_.body_bytes, budget_);
      auto done = co_await converse(connection, method, text, reply, false);
      if (done) {
        connection.clear_deadline();
        Response response{reply.status(), reply.take_body(), reply.retry_after(), reply.warning()};
        if (reply.reusable()) slot->give_back();
        co_return Result<Response>(std::move(response));
      }
      if (done.error().kind == Error::Kind::not_leader) {
        if (connection.wrote() == 0) give_back_unused(*slot);
        co_return std::unexpected(std::move(done.error()));
      }
      bool sent = connection.wrote() == text.size();
      slot->connection.reset();
      bool dead_already = reused && !reply.started() && done.error().kind == Error::Kind::unavailable;
      if (dead_already && (reads_only(method) || !sent)) continue;
      done.error().maybe_applied = sent && !reads_only(method);
      co_return std::unexpected(std::move(done.error()));
    }
  }

  const TransportLimits limits_;
  const std::shared_ptr<BodyBudget> budget_ = std::make_shared<BodyBudget>(limits_.bodies_bytes);
  const MayWrite may_write_;
  const std::shared_ptr<TokenSource> token_;
  Result<ServerUrl> url_;
  const std::shared_ptr<Watchdog> watchdog_;
  const std::shared_ptr<Pool> pool_;
  Dialer dialer_;
  ReplyPace pace_;
  std::string common_headers_;
  std::once_flag token_thread_once_;
  std::optional<asio::thread_pool> token_thread_;
};

}  // namespace

std::shared_ptr<Transport> make_transport(asio::any_io_executor executor, ClientConfig config,
                                          TransportLimits limits, MayWrite may_write) {
  return std::make_shared<HttpTransport>(std::move(executor), std::move(config), limits,
                                         std::move(may_write));
}

}  // namespace podium::client
