#include "app/kubectl/connection_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "api/validate/validate.h"
#include "app/kubectl/command_output.h"
#include "app/kubectl/targets.h"
#include "app/render/terminal.h"
#include "app/render/values.h"
#include "base/clock.h"

namespace podium::kubectl {

namespace {

void add_kubeconfig(CLI::App& command, ConnectionFlags& connection) {
  command.add_option("--context", connection.config_flags.context, "the context of the kubeconfig")
      ->type_name("NAME");
  command.add_option("--kubeconfig", connection.kubeconfig, "the kubeconfig (default: as kubectl)")
      ->type_name("FILE");
  command.add_option("--user", connection.config_flags.user, "the user of the kubeconfig")->type_name("NAME");
}

void add_cluster(CLI::App& command, ConnectionFlags& connection) {
  command.add_option("-n,--namespace", connection.ns, "the namespace (default: the context's)")
      ->type_name("NS");
  command.add_option("-s,--server", connection.config_flags.server, "the API server's address")
      ->type_name("URL");
  command
      .add_option("--token", connection.config_flags.token,
                  "a bearer token instead of the user's credentials")
      ->type_name("TOKEN");
  command.add_option("--as", connection.config_flags.impersonate.user, "the user to impersonate")
      ->type_name("USER");
  command.add_option("--as-group", connection.config_flags.impersonate.groups, "a group to impersonate")
      ->type_name("GROUP")
      ->allow_extra_args(false)
      ->take_all();
  command
      .add_option("--request-timeout", connection.request_timeout,
                  "time limit of the answer, all requests included")
      ->type_name("TIME")
      ->capture_default_str();
}

void add_dump_files(CLI::App& command, ConnectionFlags& connection) {
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

void add_podium_address(CLI::App& command, PodiumAddress& address) {
  command
      .add_option("--podium", address.where,
                  "podium's Service, reached by kubectl port-forward, or the address of its HTTPS port")
      ->type_name("NAMESPACE/NAME|URL")
      ->capture_default_str();
  command.add_option("--podium-ca", address.ca_file, "the CA of that address (default: the system's)")
      ->type_name("FILE");
  command.add_flag("--podium-insecure", address.insecure, "trust any certificate of that address");
}

void add_output(CLI::App& command, Shared& shared) {
  command
      .add_option_function<std::string>(
          "-o,--output",
          [&shared](const std::string& text) {
            if (auto set = set_format(text, shared.output); !set)
              shared.wrong.add("-o: " + set.error().message);
          },
          "table, wide, json, yaml, name, answer (table and JSON) or jsonpath=TEMPLATE (default: table)")
      ->type_name("FORMAT");
  add_color(command, shared);
}

}  // namespace

void add_color(CLI::App& command, Shared& shared) {
  render::add_choice(command, shared.wrong, "--color", shared.output.color, {"auto", "always", "never"},
                     "auto, always or never")
      ->type_name("WHEN")
      ->default_str(shared.output.color);
}

Problems problems_of(const Shared& shared) {
  auto out = shared.wrong;
  out.check(check_selector(shared.selector));
  if (const auto& ns = shared.connection.ns; !ns.empty() && !api::is_dns_label(ns))
    out.add(fmt::format("-n: \"{}\" is not the name of a namespace", ns));
  if (const auto timeout = parse_timeout(shared.connection.request_timeout); !timeout)
    out.add(timeout.error());
  if (shared.watch && !shared.connection.dump.empty()) out.add("--watch: a dump does not change");
  return out;
}

void add_shared(CLI::App& command, Shared& shared, unsigned takes) {
  const auto has = [&](unsigned what) { return (takes & what) == what; };
  if (has(kTakesAll))
    command.add_flag("-A,--all-namespaces", shared.connection.all_namespaces, "all namespaces");
  if (has(kTakesSelector))
    command.add_option("-l,--selector", shared.selector, "select objects by labels: app=web,tier!=test")
        ->type_name("SELECTOR");
  if (has(kTakesSortBy))
    command.add_option("--sort-by", shared.sort_by, "a field of a row of -o json: .count, {.since}")
        ->type_name("JSONPATH");
  if (has(kTakesWatch))
    command.add_flag("-w,--watch", shared.watch, "print the answer again when it changes");
  if (has(kTakesOutput)) add_output(command, shared);
  if (has(kTakesDump)) add_dump_files(command, shared.connection);
  if (has(kTakesPodium)) add_podium_address(command, shared.connection.podium);
  if (has(kTakesCluster)) add_cluster(command, shared.connection);
  if (has(kTakesKubeconfig)) add_kubeconfig(command, shared.connection);
}

Result<std::chrono::milliseconds> parse_duration(std::string_view flag, const std::string& text,
                                                 std::chrono::milliseconds most) {
  const auto wrong = [&](std::string_view why) {
    return invalid(fmt::format("{}: \"{}\" is {}; try \"30s\", \"2m\" or \"1h30m\"", flag, text, why));
  };
  constexpr std::string_view kNotOne = "not a valid duration";
  std::int64_t total = 0;
  std::size_t at = 0;
  if (text.empty()) return wrong(kNotOne);
  while (at < text.size()) {
    const auto digits = std::min(text.find_first_not_of("0123456789", at), text.size());
    const auto length = digits - at;
    if (length == 0 || length > 6) return wrong(kNotOne);
    const std::int64_t number = std::stoll(text.substr(at, length));
    const auto end = std::min(text.find_first_of("0123456789", digits), text.size());
    const auto unit = text.substr(digits, end - digits);
    const bool is_bare = at == 0 && unit.empty();
    const std::int64_t scale = unit == "ms"  ? 1
                               : unit == "s" ? 1000
                               : unit == "m" ? 60'000
                               : unit == "h" ? 3'600'000
                               : unit == "d" ? 86'400'000
                               : is_bare     ? 1000  // as kubectl: seconds
                                             : 0;
    if (scale == 0) return wrong(kNotOne);
    total += number * scale;
    at = end;
  }
  if (total <= 0) return wrong(kNotOne);
  if (total > most.count()) return wrong("too long");
  return std::chrono::milliseconds(total);
}

Result<std::chrono::milliseconds> parse_timeout(const std::string& text) {
  if (text == "0") return std::chrono::milliseconds(std::chrono::hours(1));
  return parse_duration("--request-timeout", text, std::chrono::hours(24));
}

render::Options render_options(const Output& output, const std::string& program) {
  return {.style = {output.color == "always" || (output.color == "auto" && render::is_color_terminal())},
          .wide = output.format == "wide",
          .now = system_clock().wall(),
          .program = program,
          .columns = output.format == "table" && render::is_terminal() ? render::terminal_size().columns : 0};
}

std::string program_of(const CLI::App& command) {
  const auto* app = &command;
  while (app->get_parent()) app = app->get_parent();
  return app->get_name();
}

std::vector<std::string> words_of(const ConnectionFlags& connection, unsigned takes) {
  std::vector<std::string> out;
  const auto add = [&](std::string_view flag, const std::string& value) {
    if (!value.empty()) out.push_back(std::string(flag) + "=" + value);
  };
  const auto has = [&](unsigned what) { return (takes & what) == what; };
  if (has(kTakesDump)) {
    for (const auto& file : connection.dump) add("--cluster", file);
    add("--config", connection.config);
  }
  if (has(kTakesPodium)) {
    add("--podium", connection.podium.where);
    add("--podium-ca", connection.podium.ca_file);
    if (connection.podium.insecure) out.emplace_back("--podium-insecure");
  }
  const auto& flags = connection.config_flags;
  if (has(kTakesCluster)) {
    add("--namespace", connection.ns);
    add("--server", flags.server);
    add("--token", flags.token);
    add("--as", flags.impersonate.user);
    for (const auto& group : flags.impersonate.groups) add("--as-group", group);
    add("--request-timeout", connection.request_timeout);
  }
  if (has(kTakesKubeconfig)) {
    add("--context", flags.context);
    add("--kubeconfig", connection.kubeconfig);
    add("--user", flags.user);
  }
  return out;
}

int fail_with(const CLI::App& command, const Error& error) { return print(failed(command, error)); }

}  // namespace podium::kubectl
