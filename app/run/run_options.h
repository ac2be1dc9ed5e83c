// The command line of `podium run`, parsed. Values only.
#pragma once

#include <boost/json/object.hpp>
#include <map>
#include <string>
#include <vector>

#include "server/delegation.h"
#include "server/https_server.h"

namespace CLI {
class App;
}
namespace podium::plugins {
class Registry;
}

namespace podium::app::run {

struct RunOptions {
  std::string config_file, write_config_to;
  std::string kubeconfig, context, master;
  std::string decision_log;                                         // empty: none
  std::string authentication_kubeconfig, authorization_kubeconfig;  // empty: the same as kubeconfig
  server::ListenOptions listen;
  server::TlsOptions tls;
  server::DelegationOptions delegation;
  boost::json::object overrides;           // fields of the KubeSchedulerConfiguration
  std::vector<std::string> feature_gates;  // one --feature-gates each
  std::vector<std::string> warnings;       // flags without effect
  bool json_logs = false;
  std::map<std::string, std::string> flag_values;  // for /flagz
  int verbosity = 0;  // klog levels: 0 to 2 info, 3 and 4 debug, 5 and more trace
};

// Adds the subcommand; its callback runs podium and sets the exit code. `plugins` outlives the app.
void add_command(CLI::App& app, const plugins::Registry& plugins, int& exit_code);

// Runs until it is stopped. Returns the exit code: 0 stopped by a signal, 1 lost lease or failure,
// 2 invalid input.
int run(const RunOptions& options, const plugins::Registry& plugins);

}  // namespace podium::app::run
