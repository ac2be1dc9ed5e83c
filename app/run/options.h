// What `podium run` takes on its command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}
namespace podium::plugins {
class Registry;
}

namespace podium::app::run {

struct Options {
  std::string config_file, kubeconfig, context;
  std::string bind_address = "0.0.0.0";
  std::uint16_t secure_port = 10259;
  std::string tls_certificate_file, tls_key_file;
  std::optional<bool> leader_elect;        // overrides the configuration
  std::vector<std::string> feature_gates;  // one --feature-gates each
  int verbosity = 0;                       // 0 info, 1 debug, 2 trace
};

// Adds the subcommand; its callback runs podium and sets the exit code. `plugins` outlives the app.
void add_command(CLI::App& app, const plugins::Registry& plugins, int& exit_code);

// Runs until a signal (0), a lost lease or a fault (1), or says what is wrong with the input (2).
int run(const Options& options, const plugins::Registry& plugins);

}  // namespace podium::app::run
