// `podium page`: podium's page for a browser on this machine, with the caller's own rights.
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include "app/kubectl/connection_flags.h"
#include "app/kubectl/page_door.h"
#include "app/kubectl/page_listener.h"
#include "app/kubectl/podium_port.h"
#include "app/kubectl/verbs.h"
#include "app/render/values.h"
#include "async/nap.h"

namespace podium::kubectl {
namespace {

namespace asio = boost::asio;

constexpr std::chrono::seconds kForwardWithin{30};
constexpr std::chrono::milliseconds kBetweenChecks{500};

struct PageFlags {
  std::shared_ptr<Shared> shared;
  bool open = false;
  std::uint16_t port = 0;
};

// A file that redirects a browser to the page. An argument of a program would reveal the
// address to other users.
class RedirectFile {
 public:
  static Result<std::unique_ptr<RedirectFile>> create(const std::string& url) {
    const char* own = std::getenv("XDG_RUNTIME_DIR");
    std::string path = (own && *own ? std::string(own) : std::string("/tmp")) + "/podium-page-XXXXXX.html";
    const int file = mkostemps(path.data(), 5, O_CLOEXEC);  // readable by its owner only
    if (file < 0) return fail(Error::Kind::unavailable, "cannot create " + path);
    const auto text = fmt::format(
        "<!doctype html><meta charset=\"utf-8\"><meta name=\"referrer\" content=\"no-referrer\">"
        "<meta http-equiv=\"refresh\" content=\"0; url={}\">\n",
        url);
    const bool is_written = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    close(file);
    std::unique_ptr<RedirectFile> out(new RedirectFile(path));
    if (!is_written) return fail(Error::Kind::unavailable, "cannot write " + path);
    return out;
  }
  ~RedirectFile() { unlink(path_.c_str()); }
  RedirectFile(const RedirectFile&) = delete;

  // False: xdg-open could not be run.
  bool open() {
    std::string program = "xdg-open";
    char* argv[] = {program.data(), path_.data(), nullptr};
    pid_t child = 0;
    return posix_spawnp(&child, program.c_str(), nullptr, nullptr, argv, environ) == 0;
  }

 private:
  explicit RedirectFile(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

class PageSession {
 public:
  PageSession(const CLI::App& command, const PageFlags& flags, const PodiumPort& port, asio::io_context& io)
      : command_(command),
        flags_(flags),
        forward_(port.forward.get()),
        podium_(port.transport),
        io_(io),
        door_(podium_, new_secret(), names_of(flags.shared->connection)),
        listener_(io.get_executor(), door_, gate_) {}

  int run() {
    const auto port = listener_.listen(flags_.port);
    if (!port) return fail_with(command_, port.error());
    door_.serve_at(*port);
    signals_.emplace(io_, SIGINT, SIGTERM);
    signals_->async_wait([this](boost::system::error_code error, int) {
      if (!error) stop();
    });
    async::spawn(gate_, io_.get_executor(), "page", show(this));
    io_.run();
    return code_;
  }

 private:
  static client::Task<void> show(PageSession* self) {
    const auto why_not = co_await self->door_.probe();
    if (!why_not.empty()) {
      self->fails("podium does not answer: " + why_not);
      co_return;
    }
    self->print_address();
    async::spawn(self->gate_, self->io_.get_executor(), "listen", self->listener_.run());
    while (!self->stopping_) {
      co_await async::nap(kBetweenChecks);
      if (!self->forward_ || !self->forward_->has_ended()) continue;
      self->fails("kubectl port-forward has ended; start again");
      co_return;
    }
  }

  static client::ContextNames names_of(const ConnectionFlags& connection) {
    auto names = client::find_names(connection.kubeconfig, connection.config_flags);
    if (!connection.config_flags.token.empty()) names.user.clear();
    return names;
  }

  void print_address() {
    const auto url = door_.url();
    std::cout << url << "\n"
              << "While this command runs, the page calls podium with your rights. Anyone with the address "
                 "can use them.\n"
              << std::flush;
    if (!flags_.open) return;
    auto redirect = RedirectFile::create(url);
    if (redirect) redirect_ = std::move(*redirect);
    if (!redirect || !redirect_->open()) std::cerr << "No browser was opened: xdg-open does not run.\n";
  }

  void fails(const std::string& why) {
    code_ = fail_with(command_, fail(Error::Kind::unavailable, why).error());
    stop();
  }

  void stop() {
    stopping_ = true;
    listener_.stop();
    boost::system::error_code ignored;
    signals_->cancel(ignored);
    podium_->close();
    gate_.cancel();
  }

  const CLI::App& command_;
  const PageFlags& flags_;
  PortForward* const forward_;  // null: an address
  const std::shared_ptr<client::Transport> podium_;
  asio::io_context& io_;
  async::Gate gate_;
  PageDoor door_;
  PageListener listener_;
  std::optional<asio::signal_set> signals_;
  std::unique_ptr<RedirectFile> redirect_;
  int code_ = 0;
  bool stopping_ = false;
};

int run_page(const CLI::App& command, const PageFlags& flags) {
  if (const auto problems = problems_of(*flags.shared)) return fail_with(command, problems.error());
  spdlog::set_level(spdlog::level::off);
  asio::io_context io{1};
  auto port = open_podium_port(flags.shared->connection, kForwardWithin, io);
  if (!port) return fail_with(command, port.error());
  return PageSession(command, flags, *port, io).run();
}

}  // namespace

std::function<int()> declare_page(CLI::App& command, const std::shared_ptr<Shared>& shared) {
  const auto flags = std::make_shared<PageFlags>();
  flags->shared = shared;
  render::add_number(command, shared->wrong, "--port", flags->port, {0, 65'535},
                     "the port on 127.0.0.1 (default: a free one)")
      ->type_name("PORT");
  command.add_flag("--open", flags->open, "open it in a browser (xdg-open)");
  return [&command, flags] { return run_page(command, *flags); };
}

}  // namespace podium::kubectl
