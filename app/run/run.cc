#include <spdlog/async.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "app/run/options.h"
#include "app/run/process.h"
#include "async/log_format.h"
#include "client/config.h"
#include "scheduler/config/config.h"
#include "scheduler/config/policy.h"
#include "scheduler/extender/http_extender.h"

namespace podium::app::run {
namespace {

constexpr std::size_t kLogQueue = 8192;

// Logs go to standard error through a bounded queue that drops the oldest line: a blocked pipe never blocks
// scheduling.
void set_up_logs(int verbosity) {
  spdlog::init_thread_pool(kLogQueue, 1);
  auto sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  auto logger = std::make_shared<spdlog::async_logger>("podium", std::move(sink), spdlog::thread_pool(),
                                                       spdlog::async_overflow_policy::overrun_oldest);
  logger->set_formatter(async::log_formatter());
  logger->set_level(verbosity >= 2   ? spdlog::level::trace
                    : verbosity == 1 ? spdlog::level::debug
                                     : spdlog::level::info);
  spdlog::set_default_logger(std::move(logger));
  spdlog::flush_every(std::chrono::seconds(1));
}

int refuse(const std::string& what) {
  std::cerr << what << '\n';
  return 2;
}

}  // namespace

void add_command(CLI::App& app, const plugins::Registry& plugins, int& exit_code) {
  auto* command = app.add_subcommand(
      "run", "Runs the scheduler and the report controller; in a cluster no flag is needed");
  const auto options = std::make_shared<Options>();
  command->add_option("--config", options->config_file,
                      "KubeSchedulerConfiguration, and PodiumConfiguration as a second document");
  command->add_option("--kubeconfig", options->kubeconfig,
                      "how to reach the API server (default: in-cluster, else ~/.kube/config)");
  command->add_option("--context", options->context, "the kubeconfig's context to use");
  command->add_option("--secure-port", options->secure_port, "port for health and metrics, over HTTPS")
      ->capture_default_str();
  command->add_option("--bind-address", options->bind_address, "address for --secure-port")
      ->capture_default_str();
  auto* certificate = command->add_option("--tls-cert-file", options->tls_certificate_file,
                                          "certificate for --secure-port (default: self-signed)");
  auto* key = command->add_option("--tls-private-key-file", options->tls_key_file, "its key");
  certificate->needs(key);
  key->needs(certificate);
  command->add_option("--leader-elect", options->leader_elect,
                      "overrides leaderElection.leaderElect of the configuration");
  command
      ->add_option("--feature-gates", options->feature_gates,
                   "A=true,B=false: feature gates as kube-scheduler has them")
      ->type_name("GATES")
      ->allow_extra_args(false)
      ->take_all();
  std::vector<CLI::Option*> gone;  // flags of kube-scheduler before 1.23: hidden, and refused with what to do
                                   // instead
  for (const auto* flag : {"--policy-config-file", "--policy-configmap", "--policy-configmap-namespace",
                           "--use-legacy-policy-config", "--algorithm-provider"}) {
    gone.push_back(command->add_option(flag)->group("")->expected(0, 1));
  }
  command->add_option("-v,--v", options->verbosity, "0 info, 1 debug, 2 trace")->capture_default_str();
  command->callback([options, gone, &plugins, &exit_code] {
    for (const auto* flag : gone) {
      if (flag->count() > 0) {
        exit_code = refuse(flag->get_name() + ": " + config::policy_is_gone());
        return;
      }
    }
    exit_code = run(*options, plugins);
  });
}

int run(const Options& options, const plugins::Registry& plugins) {
  const auto gates = config::parse_feature_gates(options.feature_gates);
  if (!gates) return refuse(gates.error().message);
  const config::LoadOptions how{*gates, plugins};
  auto config = options.config_file.empty() ? config::load("", "default configuration", how)
                                            : config::load_file(options.config_file, how);
  if (!config) return refuse(config.error().message);
  for (const auto& one : config->extenders) {
    if (const auto reached = extender::client_config(one); !reached) return refuse(reached.error().message);
  }
  const auto& kubeconfig =
      options.kubeconfig.empty() ? config->client_connection.kubeconfig : options.kubeconfig;
  auto client_config = client::find_config(kubeconfig, options.context);
  if (!client_config) return refuse(client_config.error().message);
  set_up_logs(options.verbosity);
  std::signal(SIGPIPE, SIG_IGN);
  for (const auto& warning : config->warnings) spdlog::warn("{}", warning);
  const int exit_code = Process(options, std::move(*config), std::move(*client_config)).run();
  spdlog::shutdown();
  return exit_code;
}

}  // namespace podium::app::run
