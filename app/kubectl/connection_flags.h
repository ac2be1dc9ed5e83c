// The flags that several commands share, as in kubectl: the API server, namespace and objects, and the
// output. Each is declared once, in add_shared().
//
// Threads: a command's own. Errors: Kind::invalid for a wrong value.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/kubectl/output.h"
#include "app/render/options.h"
#include "base/problems.h"
#include "base/result.h"
#include "client/auth/client_config.h"

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

struct ConnectionFlags {
  std::string kubeconfig, ns;
  client::ConfigFlags config_flags;  // which cluster and user
  std::vector<std::string> dump;     // --cluster: files to read instead of an API server
  std::string config;                // --config: of the engine that answers about a dump
  PodiumAddress podium;
  bool all_namespaces = false;
  std::string request_timeout = "30s";
};

struct Shared {
  ConnectionFlags connection;
  Output output;
  std::string selector;  // -l: of labels; empty: all
  std::string sort_by;   // a JSONPath into a row of -o json; empty: the command's own order
  bool watch = false;
  Problems wrong = {};  // values of flags
};

// The shared flags that a verb takes.
enum Takes : unsigned {
  kTakesKubeconfig = 1,                  // --kubeconfig, --context, --user
  kTakesCluster = kTakesKubeconfig | 2,  // and -n, --server, --token, --as, --as-group, --request-timeout
  kTakesAll = 4,                         // -A
  kTakesDump = 8,                        // --cluster, --config
  kTakesOutput = 16,                     // -o, --color
  kTakesSelector = 32,
  kTakesSortBy = 64,
  kTakesWatch = 128,
  kTakesPodium = 256,  // --podium, --podium-ca, --podium-insecure
};

void add_shared(CLI::App& command, Shared& shared, unsigned takes);
// The flags of a command line with the same connection, for a verb that takes these.
std::vector<std::string> words_of(const ConnectionFlags& connection, unsigned takes);
// --color alone.
void add_color(CLI::App& command, Shared& shared);

// All that is wrong with the shared flags. A command adds what is wrong with its own, before it reads
// anything else, and prints all of it.
Problems problems_of(const Shared& shared);

// "30s", "2m", "1m30s", "500ms", "7d", "90": above 0, and at most this long.
Result<std::chrono::milliseconds> parse_duration(std::string_view flag, const std::string& text,
                                                 std::chrono::milliseconds most);
// The same of --request-timeout; "0" is an hour, since every wait has a deadline.
Result<std::chrono::milliseconds> parse_timeout(const std::string& text);

// How to render: colours on a terminal only, unless --color or NO_COLOR overrides it.
render::Options render_options(const Output& output, const std::string& program);

// The name of the program in the command line: "kubectl podium" or "podium".
std::string program_of(const CLI::App& command);

// Prints the error for people and returns the exit code: 2 for wrong input, else 1.
int fail_with(const CLI::App& command, const Error& error);

}  // namespace podium::kubectl
