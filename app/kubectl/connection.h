// The flags that all commands share, as kubectl has them: which API server, which namespace, how to print.
//
// Threads: a command's own. Errors: Kind::invalid for a wrong value.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "app/render/why.h"
#include "base/result.h"

namespace CLI {
class App;
}

namespace podium::kubectl {

// podium's HTTPS API.
struct PodiumAddress {
  std::string where = "podium-system/podium";  // a Service as NAMESPACE/NAME, or an address: https://…
  std::string ca_file;                         // of an address; empty: the system's
  bool insecure = false;

  bool is_url() const { return where.contains("://"); }
};

struct Connection {
  std::string kubeconfig, context, ns;
  std::vector<std::string> dump;  // --cluster: files to read instead of an API server
  std::string config;             // of the engine that answers about a dump
  PodiumAddress podium;
  bool all_namespaces = false;
  std::string request_timeout = "30s";
};

struct Output {
  std::string format = "table";  // table, wide, json or yaml
  std::string color = "auto";    // auto, always or never
};

// -n, --context, --kubeconfig and --request-timeout; with `all`, -A too.
void add_connection(CLI::App& command, Connection& connection, bool all = false);
// --cluster and --config, for a command that works on a dump too.
void add_dump_files(CLI::App& command, Connection& connection);
void add_output(CLI::App& command, Output& output);

// "30s", "2m", "1m30s", "500ms"; "0" is an hour, since every wait has a deadline.
Result<std::chrono::milliseconds> parse_timeout(const std::string& text);

// How to render: colours on a terminal only, unless --color or NO_COLOR says otherwise.
render::Options render_options(const Output& output, const std::string& program);

// The name that the program was called by: "kubectl podium" or "podium".
std::string program_of(const CLI::App& command);

// Prints the error for people and returns the exit code: 2 for wrong input, else 1.
int fail_with(const CLI::App& command, const Error& error);

}  // namespace podium::kubectl
