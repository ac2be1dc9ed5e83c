// ConfigReload: reads the configuration file again when it changes.
//
// Looks at the file every few seconds. Reads it on another thread than the I/O's, and only a regular file, so
// that whatever takes its place holds up nothing. A changed file that is in order is given to `apply`. Of one
// that is not, the reason is logged once and the settings stay. What cannot change while the program runs is
// named in a warning: it takes effect at the next start. A ConfigMap's file changes by a link; that is seen,
// too.
//
// Owner: Process; `gate` is empty before this is destroyed. Threads: start() before `io` runs, the rest on
// `io`. Errors: logged.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/json/value.hpp>
#include <functional>
#include <string>
#include <vector>

#include "async/gate.h"
#include "base/result.h"
#include "scheduler/config/config.h"

namespace podium::app::run {

// Paths of what differs between two configurations and takes effect at a start only: "whatIf.workers",
// "profiles". Of PodiumConfiguration, reports and events can change.
std::vector<std::string> needs_restart(const config::Config& before, const config::Config& after);

class ConfigReload {
 public:
  using Load = std::function<Result<config::Config>()>;
  using Apply = std::function<void(const config::Podium&)>;

  // `running`: the configuration that the process has started with. An empty `file` is never read.
  ConfigReload(std::string file, const config::Config& running, Load load, Apply apply);
  // Reads on `workers`.
  void start(async::Gate& gate, boost::asio::any_io_executor io, boost::asio::any_io_executor workers);
  void look();  // one look at the file, and reads it here

 private:
  static async::Task<void> run(ConfigReload* self, boost::asio::any_io_executor workers);
  static async::Task<Result<config::Config>> load(const ConfigReload* self);
  bool has_changed();
  void take(const Result<config::Config>& loaded);

  const std::string file_;
  const config::Config& running_;
  const Load load_;
  const Apply apply_;
  std::string seen_;                // the file's stamp at the last look
  std::vector<std::string> named_;  // what the last warning has named
  boost::json::value in_force_;     // PodiumConfiguration
};

}  // namespace podium::app::run
