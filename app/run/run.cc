#include <spdlog/async.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <csignal>
#include <exception>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>

#include "api/text/yaml.h"
#include "app/run/process.h"
#include "app/run/run_options.h"
#include "client/auth/client_config.h"
#include "log/format.h"
#include "log/log.h"
#include "log/sink.h"
#include "scheduler/config/load.h"
#include "scheduler/extender/http_extender.h"

namespace podium::app::run {
namespace {

constexpr std::size_t kLogQueue = 2048;  // lines; spdlog allocates 400 bytes for each at the start
constexpr int kDebug = 3, kTrace = 5;

// Logs go to standard error through a bounded queue that drops the oldest line, so a blocked pipe
// does not block scheduling.
void set_up_logs(const RunOptions& options) {
  const int verbosity = options.verbosity;
  spdlog::init_thread_pool(kLogQueue, 1);
  auto sink = log::limited_sink(std::make_shared<spdlog::sinks::stderr_sink_mt>());
  auto logger = std::make_shared<spdlog::async_logger>("podium", std::move(sink), spdlog::thread_pool(),
                                                       spdlog::async_overflow_policy::overrun_oldest);
  logger->set_formatter(options.json_logs ? log::json_formatter() : log::text_formatter());
  logger->set_level(verbosity >= kTrace   ? spdlog::level::trace
                    : verbosity >= kDebug ? spdlog::level::debug
                                          : spdlog::level::info);
  spdlog::set_default_logger(std::move(logger));
  spdlog::flush_every(std::chrono::seconds(1));
}

// Installs an empty handler. Child processes would inherit SIG_IGN.
void do_nothing_on(int signal) {
  struct sigaction action{};
  action.sa_handler = [](int) {};
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

int refuse_input(const std::string& what) {
  std::cerr << what << '\n';
  return 2;
}

// `again`: the process runs and must not wait for a file. At a start it may be a shell's <(command).
Result<config::Config> load_config(const RunOptions& options, const plugins::Registry& plugins, bool again) {
  const auto gates = config::parse_feature_gates(options.feature_gates);
  if (!gates) return std::unexpected(gates.error());
  const config::LoadOptions how{*gates, plugins, options.overrides, again};
  auto config = options.config_file.empty() ? config::load("", "default configuration", how)
                                            : config::load_file(options.config_file, how);
  if (!config) return config;
  for (const auto& one : config->extenders) {
    if (const auto reached = extender::client_config(one); !reached) return std::unexpected(reached.error());
  }
  return config;
}

Result<client::ClientConfig> find_server(const RunOptions& options, const config::Config& config) {
  const auto& kubeconfig =
      options.kubeconfig.empty() ? config.client_connection.kubeconfig : options.kubeconfig;
  auto found = client::find_config(kubeconfig, {.context = options.context});
  if (options.master.empty()) return found;
  if (!found && !kubeconfig.empty()) return found;
  if (!found) found = client::ClientConfig{};
  found->server = options.master;
  return found;
}

Result<Servers> find_servers(const RunOptions& options, const config::Config& config) {
  auto own = find_server(options, config);
  if (!own) return std::unexpected(own.error());
  Servers out{*own, *own, *own};
  const auto load = [](const char* flag, const std::string& path,
                       client::ClientConfig& into) -> Result<void> {
    if (path.empty()) return {};
    auto loaded = client::load_kubeconfig(path);
    if (!loaded) return invalid(flag + (": " + loaded.error().message));
    into = std::move(*loaded);
    return {};
  };
  if (auto done = load("--authentication-kubeconfig", options.authentication_kubeconfig, out.authentication);
      !done)
    return std::unexpected(done.error());
  if (auto done = load("--authorization-kubeconfig", options.authorization_kubeconfig, out.authorization);
      !done)
    return std::unexpected(done.error());
  return out;
}

int write_config(const std::string& path, const config::Config& config) {
  std::ofstream file(path);
  file << api::to_yaml(config.view) << "---\n" << api::to_yaml(config.podium_view) << std::flush;
  if (!file) return refuse_input(path + ": cannot be written");
  std::cerr << "configuration written to " << path << '\n';
  return 0;
}

}  // namespace

int run(const RunOptions& options, const plugins::Registry& plugins) {
  auto config = load_config(options, plugins, false);
  if (!config) return refuse_input(config.error().message);
  if (!options.write_config_to.empty()) return write_config(options.write_config_to, *config);
  auto servers = find_servers(options, *config);
  if (!servers) return refuse_input(servers.error().message);
  int exit_code = 1;
  try {  // file descriptors, threads or memory may run out
    std::unique_ptr<DecisionLog> decisions;
    if (!options.decision_log.empty()) {
      auto opened = DecisionLog::open(
          {.path = options.decision_log, .withholds_node_names = config->podium.withhold_node_names});
      if (!opened) return refuse_input(opened.error().message);
      decisions = std::move(*opened);
    }
    set_up_logs(options);
    std::signal(SIGPIPE, SIG_IGN);
    for (const int signal : {SIGUSR1, SIGUSR2}) do_nothing_on(signal);
    for (const auto& warning : options.warnings) log::warn("{}", warning);
    for (const auto& warning : config->warnings) log::warn("{}", warning);
    const ConfigReload::Load reload = [&] { return load_config(options, plugins, true); };
    exit_code = Process(options, std::move(*config), std::move(*servers), reload, std::move(decisions)).run();
  } catch (const std::exception& error) {
    std::cerr << "podium run: " << error.what() << '\n';
  }
  spdlog::shutdown();
  return exit_code;
}

}  // namespace podium::app::run
