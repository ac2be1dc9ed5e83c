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

#include "app/kubectl/commands.h"
#include "app/kubectl/connection.h"
#include "app/kubectl/page_door.h"
#include "app/kubectl/page_listener.h"
#include "app/kubectl/port_forward.h"
#include "async/nap.h"
#include "client/auth/config.h"

namespace podium::kubectl {
namespace {

namespace asio = boost::asio;

constexpr std::chrono::seconds kForwardWithin{30};
constexpr std::chrono::milliseconds kBetweenChecks{500};

struct PageFlags {
  Connection connection;
  std::string service = "podium-system/podium", server, ca_file;
  bool insecure = false, open = false;
  std::uint16_t port = 0;
};

// kubectl's flags for the same cluster and user. `pod`: instead of the service.
std::vector<std::string> forward_arguments(const PageFlags& flags, const std::string& pod) {
  const auto slash = flags.service.find('/');
  std::vector<std::string> out{"port-forward",
                               "--address=127.0.0.1",
                               "-n",
                               flags.service.substr(0, slash),
                               pod.empty() ? "service/" + flags.service.substr(slash + 1) : "pod/" + pod,
                               ":10259"};
  if (!flags.connection.context.empty()) out.push_back("--context=" + flags.connection.context);
  if (!flags.connection.kubeconfig.empty()) out.push_back("--kubeconfig=" + flags.connection.kubeconfig);
  return out;
}

Result<void> check(const PageFlags& flags) {
  const auto slash = flags.service.find('/');
  if (slash == 0 || slash == std::string::npos || slash + 1 == flags.service.size())
    return invalid("--service: \"" + flags.service + "\" is no NAMESPACE/NAME");
  if (!flags.server.empty() && !flags.server.starts_with("https://"))
    return invalid("--server: must begin with https://, since your credentials go there");
  const bool has_trust = !flags.ca_file.empty() || flags.insecure;
  if (flags.server.empty() && has_trust) {
    return invalid("--certificate-authority and --insecure-skip-tls-verify are for --server");
  }
  return {};
}

// The caller's credentials for podium's port instead of the API server's.
client::ClientConfig for_podium(client::ClientConfig config, const PageFlags& flags,
                                std::uint16_t forwarded) {
  config.ca.clear();
  config.ca_file = flags.ca_file;
  config.tls_server_name.clear();
  if (forwarded == 0) {
    config.server = flags.server;
    config.insecure_skip_verify = flags.insecure;
  } else {
    // The API server leads there; podium's certificate is one that it made itself, unless told otherwise.
    config.server = fmt::format("https://127.0.0.1:{}", forwarded);
    config.insecure_skip_verify = true;
  }
  return config;
}

// A file that leads a browser to the page. An argument of a program would show the address to other users.
class Leader {
 public:
  static Result<std::unique_ptr<Leader>> create(const std::string& url) {
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
    std::unique_ptr<Leader> out(new Leader(path));
    if (!is_written) return fail(Error::Kind::unavailable, "cannot write " + path);
    return out;
  }
  ~Leader() { unlink(path_.c_str()); }
  Leader(const Leader&) = delete;

  // False: there is no program that opens it.
  bool open() {
    std::string program = "xdg-open";
    char* argv[] = {program.data(), path_.data(), nullptr};
    pid_t child = 0;
    return posix_spawnp(&child, program.c_str(), nullptr, nullptr, argv, environ) == 0;
  }

 private:
  explicit Leader(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

class Showing {
 public:
  Showing(const CLI::App& command, const PageFlags& flags, PortForward* forward,
          std::shared_ptr<client::Transport> podium, asio::io_context& io)
      : command_(command),
        flags_(flags),
        forward_(forward),
        podium_(std::move(podium)),
        io_(io),
        door_(podium_, new_secret()),
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
  static client::Task<void> show(Showing* self) {
    const auto why_not = co_await self->door_.knock();
    if (!why_not.empty()) {
      self->fails("podium does not answer: " + why_not);
      co_return;
    }
    self->tell();
    async::spawn(self->gate_, self->io_.get_executor(), "listen", self->listener_.run());
    while (!self->stopping_) {
      co_await async::nap(kBetweenChecks);
      if (!self->forward_ || !self->forward_->has_ended()) continue;
      self->fails("kubectl port-forward has ended; start again");
      co_return;
    }
  }

  void tell() {
    const auto url = door_.url();
    std::cout
        << url << "\n"
        << "podium is asked as you, as long as this command runs. Who has the address asks as you, too.\n"
        << std::flush;
    if (!flags_.open) return;
    auto leader = Leader::create(url);
    if (leader) leader_ = std::move(*leader);
    if (!leader || !leader_->open()) std::cerr << "No browser was opened: xdg-open does not run.\n";
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
  PortForward* const forward_;  // null: --server
  const std::shared_ptr<client::Transport> podium_;
  asio::io_context& io_;
  async::Gate gate_;
  PageDoor door_;
  PageListener listener_;
  std::optional<asio::signal_set> signals_;
  std::unique_ptr<Leader> leader_;
  int code_ = 0;
  bool stopping_ = false;
};

// The way to podium.
struct Way {
  std::unique_ptr<PortForward> forward;  // null: --server
  std::shared_ptr<client::Transport> podium;
};

Result<Way> open_way(const client::ClientConfig& config, const PageFlags& flags, const std::string& pod,
                     asio::io_context& io) {
  Way way;
  if (flags.server.empty()) {
    auto started = PortForward::start(forward_arguments(flags, pod), kForwardWithin);
    if (!started) return std::unexpected(started.error());
    way.forward = std::move(*started);
  }
  const auto port = way.forward ? way.forward->port() : std::uint16_t{0};
  way.podium = client::make_transport(io.get_executor(), for_podium(config, flags, port));
  return way;
}

// A service leads to any of its pods, and only the one that leads has decisions.
Result<Way> open_way_to_leader(const client::ClientConfig& config, const PageFlags& flags,
                               asio::io_context& io) {
  auto way = open_way(config, flags, {}, io);
  if (!way || !way->forward) return way;
  std::optional<std::string> leader;
  asio::co_spawn(io, PageDoor::leading_pod(way->podium, config.default_namespace),
                 [&leader](const std::exception_ptr&, std::string pod) { leader = std::move(pod); });
  while (!leader && io.run_one() > 0) {
  }
  if (leader.value_or("").empty()) return way;
  // A static pod is not called as its process says.
  auto straight = open_way(config, flags, *leader, io);
  if (!straight) return way;
  way->podium->close();
  return straight;
}

int run_page(const CLI::App& command, const PageFlags& flags) {
  spdlog::set_level(spdlog::level::off);
  if (auto checked = check(flags); !checked) return fail_with(command, checked.error());
  auto config = client::find_config(flags.connection.kubeconfig, flags.connection.context);
  if (!config) return fail_with(command, config.error());
  asio::io_context io{1};
  auto way = open_way_to_leader(*config, flags, io);
  if (!way) return fail_with(command, way.error());
  return Showing(command, flags, way->forward.get(), std::move(way->podium), io).run();
}

}  // namespace

void add_page(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("page", "podium's page for your browser, with your own rights");
  const auto flags = std::make_shared<PageFlags>();
  command->add_option("--service", flags->service, "podium's Service, which kubectl port-forward reaches")
      ->type_name("NAMESPACE/NAME")
      ->capture_default_str();
  command->add_option("--server", flags->server, "podium's HTTPS port where no port-forward is needed")
      ->type_name("URL");
  command->add_option("--certificate-authority", flags->ca_file, "the CA of --server (default: the system's)")
      ->type_name("FILE");
  command->add_flag("--insecure-skip-tls-verify", flags->insecure, "trust any certificate of --server");
  command->add_option("--port", flags->port, "the port on 127.0.0.1 (default: any that is free)")
      ->type_name("PORT");
  command->add_flag("--open", flags->open, "open it in a browser (xdg-open)");
  command->add_option("--context", flags->connection.context, "the context of the kubeconfig")
      ->type_name("NAME");
  command->add_option("--kubeconfig", flags->connection.kubeconfig, "the kubeconfig (default: as kubectl)")
      ->type_name("FILE");
  command->callback([command, flags, &exit_code] { exit_code = run_page(*command, *flags); });
}

}  // namespace podium::kubectl
