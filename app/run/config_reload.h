// ConfigReload: reads the configuration file again when it changes.
//
// Passes a valid changed file to `apply`. Logs the error of an invalid one once and keeps the settings. A
// warning names changed settings that take effect only at the next start. FileReload polls
// and reads the file.
//
// Owner: Process; `gate` is empty before this is destroyed. Threads: start() before `io` runs, `load` on
// `files`, the rest on `io`. Errors: logged.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/json/value.hpp>
#include <functional>
#include <string>
#include <vector>

#include "async/file_reload.h"
#include "async/gate.h"
#include "base/result.h"
#include "scheduler/config/values/config.h"

namespace podium::app::run {

// Paths of the settings that differ between two configurations and take effect only at a start:
// "whatIf.workers", "profiles". Of PodiumConfiguration, reports and events can change while the program runs.
std::vector<std::string> needs_restart(const config::Config& before, const config::Config& after);

class ConfigReload {
 public:
  using Load = std::function<Result<config::Config>()>;
  using Apply = std::function<void(const config::Podium&)>;

  // `running`: the configuration at the start of the process. An empty `file` is never read.
  ConfigReload(std::string file, const config::Config& running, Load load, Apply apply);
  void start(async::Gate& gate, boost::asio::any_io_executor io, boost::asio::any_io_executor files);
  void look() { reload_.look(); }

 private:
  void take(const Result<config::Config>& loaded);

  const std::string file_;
  const config::Config& running_;
  const Apply apply_;
  std::vector<std::string> named_;  // the settings of the last warning
  boost::json::value in_force_;     // PodiumConfiguration
  async::FileReload<Result<config::Config>> reload_;
};

}  // namespace podium::app::run
