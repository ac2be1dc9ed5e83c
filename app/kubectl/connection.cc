#include "app/kubectl/connection.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

#include "app/render/terminal.h"
#include "base/clock.h"

namespace podium::kubectl {

void add_connection(CLI::App& command, Connection& connection, bool all) {
  command.add_option("-n,--namespace", connection.ns, "the namespace (default: the context's)")
      ->type_name("NS");
  if (all) command.add_flag("-A,--all-namespaces", connection.all_namespaces, "all namespaces");
  command.add_option("--context", connection.context, "the context of the kubeconfig")->type_name("NAME");
  command.add_option("--kubeconfig", connection.kubeconfig, "the kubeconfig (default: as kubectl)")
      ->type_name("FILE");
  command
      .add_option("--request-timeout", connection.request_timeout,
                  "how long to wait for a reply or an answer")
      ->type_name("TIME")
      ->capture_default_str();
}

void add_dump_files(CLI::App& command, Connection& connection) {
  command
      .add_option("--cluster", connection.dump,
                  "a dump of the cluster (podium dump), or a directory of manifests, to ask instead of the "
                  "API server")
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->take_all();
  command
      .add_option("--config", connection.config,
                  "with --cluster: the scheduler's configuration (default: that of kube-scheduler)")
      ->type_name("FILE");
}

void add_output(CLI::App& command, Output& output) {
  command.add_option("-o,--output", output.format, "table, wide, json or yaml")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"table", "wide", "json", "yaml"}))
      ->capture_default_str();
  command.add_option("--color", output.color, "auto, always or never")
      ->type_name("WHEN")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();
}

Result<std::chrono::milliseconds> parse_timeout(const std::string& text) {
  const auto wrong = [&] {
    return invalid("--request-timeout: \"" + text + "\" is no duration; try \"30s\", \"2m\" or \"500ms\"");
  };
  if (text == "0") return std::chrono::milliseconds(std::chrono::hours(1));
  std::int64_t total = 0;
  std::size_t at = 0;
  if (text.empty()) return wrong();
  while (at < text.size()) {
    std::int64_t number = 0;
    const auto digits = text.find_first_not_of("0123456789", at);
    const auto length = std::min(digits, text.size()) - at;
    if (length == 0 || length > 6) return wrong();
    number = std::stoll(text.substr(at, digits - at));
    if (digits == std::string::npos) return std::chrono::milliseconds(number * 1000);  // as kubectl: seconds
    auto end = text.find_first_of("0123456789", digits);
    if (end == std::string::npos) end = text.size();
    const auto unit = text.substr(digits, end - digits);
    const std::int64_t scale = unit == "ms"  ? 1
                               : unit == "s" ? 1000
                               : unit == "m" ? 60'000
                               : unit == "h" ? 3'600'000
                                             : 0;
    if (scale == 0) return wrong();
    total += number * scale;
    at = end;
  }
  if (total <= 0 || total > 24 * 3'600'000) return wrong();
  return std::chrono::milliseconds(total);
}

render::Options render_options(const Output& output, const std::string& program) {
  return {.style = {output.color == "always" || (output.color == "auto" && render::is_color_terminal())},
          .wide = output.format == "wide",
          .now = system_clock().wall(),
          .program = program};
}

std::string program_of(const CLI::App& command) {
  const auto* app = &command;
  while (app->get_parent()) app = app->get_parent();
  return app->get_name();
}

int fail_with(const CLI::App& command, const Error& error) {
  std::cout.flush();
  std::cerr << program_of(command) << " " << command.get_name() << ": " << render::printable(error.message)
            << '\n';
  return error.kind == Error::Kind::invalid ? 2 : 1;
}

}  // namespace podium::kubectl
