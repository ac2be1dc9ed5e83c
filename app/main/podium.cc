#include "app/main/podium.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/config/config_command.h"
#include "app/evaluate/command.h"
#include "app/kubectl/completion.h"
#include "app/kubectl/verbs.h"
#include "app/main/usage_error.h"
#include "app/run/command_line.h"
#include "app/run/run_options.h"
#include "base/random.h"
#include "base/standard_streams.h"
#include "base/text_hash.h"
#include "base/version.h"
#include "scheduler/config/gates/feature_gates.h"

namespace podium::app {
namespace {

void add_config(CLI::App& app, const plugins::Registry& plugins, int& exit_code) {
  auto* command = app.add_subcommand("config", "checks and prints configuration files");
  command->require_subcommand(1);
  const auto add = [&](const char* name, const char* help,
                       int (*run)(const ConfigOptions&, std::ostream&, std::ostream&)) {
    auto* action = command->add_subcommand(name, help);
    const auto options = std::make_shared<ConfigOptions>();
    options->plugins = plugins;
    action->add_option("FILE", options->file, "a KubeSchedulerConfiguration")->required();
    action->add_option("--feature-gates", options->feature_gates, config::kFeatureGatesHelp)
        ->type_name("GATES")
        ->allow_extra_args(false)
        ->take_all();
    action->callback([run, options, &exit_code] { exit_code = run(*options, std::cout, std::cerr); });
  };
  add("validate", "lists all errors in a configuration", config_validate);
  add("view", "prints a configuration with all defaults", config_view);
}

std::string version_line() {
  return fmt::format("podium {} (decides like kube-scheduler {})", kVersion, kKubernetesVersion);
}

void add_version(CLI::App& app) {
  app.add_subcommand("version", "prints the version")->callback([] { std::cout << version_line() << '\n'; });
  app.set_version_flag("--version", version_line(), "prints the version");
}

// `podium help why` is `podium why --help`.
void add_help(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("help", "shows the help of a command");
  const auto words = std::make_shared<std::vector<std::string>>();
  command->add_option("COMMAND", *words, "the command");
  command->callback([command, &app, words, &exit_code] {
    const CLI::App* about = &app;
    auto name = app.get_name();
    for (const auto& word : *words) {
      const auto known = about->get_subcommands(nullptr);
      const auto next = std::ranges::find(known, word, [](const auto* each) { return each->get_name(); });
      if (next == known.end()) {
        std::cerr << unknown_command(*command, *about, word);
        exit_code = 2;
        return;
      }
      about = *next;
      name += " " + word;
    }
    // App::help() would print the help of the running command.
    std::cout << about->get_formatter()->make_help(about, name, CLI::AppFormatMode::Normal);
  });
}

std::string program_name(int argc, char** argv) {
  return argc > 0 ? std::filesystem::path(argv[0]).filename().string() : std::string();
}

// The words to complete: kubectl uses this program name, shells the hidden command.
std::optional<std::vector<std::string>> words_to_complete(int argc, char** argv) {
  if (program_name(argc, argv) == "kubectl_complete-podium")
    return std::vector<std::string>{argv + 1, argv + argc};
  if (argc > 1 && std::string_view(argv[1]) == "__complete")
    return std::vector<std::string>{argv + 2, argv + argc};
  return std::nullopt;
}

// Under kube-scheduler's name, as in a kubeadm manifest with podium's image, podium runs the scheduler.
std::vector<std::string> arguments_of(int argc, char** argv) {
  auto arguments = run::normalized({argv + 1, argv + std::max(argc, 1)});
  const bool by_that_name = program_name(argc, argv) == "kube-scheduler";
  if (by_that_name) arguments.insert(arguments.begin(), "run");
  return arguments;
}

// Without a handler, the allocator aborts without a message. Nothing here allocates.
void end_without_memory() {
  constexpr std::string_view kWhy = "podium: out of memory\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, kWhy.data(), kWhy.size());
  std::quick_exit(1);
}

void* or_end(void* memory, std::size_t size) {
  if (!memory && size > 0) end_without_memory();
  return memory;
}

// OpenSSL uses malloc(), and some of its functions continue with a null pointer.
void end_openssl_without_memory() {
  CRYPTO_set_mem_functions(
      [](std::size_t size, const char*, int) { return or_end(std::malloc(size), size); },
      [](void* old, std::size_t size, const char*, int) { return or_end(std::realloc(old, size), size); },
      [](void* memory, const char*, int) { std::free(memory); });
}

}  // namespace

int main(int argc, char** argv, const plugins::Registry& plugins) {
  open_standard_streams();
  std::set_new_handler(end_without_memory);
  end_openssl_without_memory();
  seed_hashes(system_random().next(), system_random().next());
  if (!plugins.clash().empty()) {
    std::cerr << "podium: a plugin named " << plugins.clash() << " already exists\n";
    return 1;
  }
  CLI::App app{"podium: a Kubernetes scheduler that explains its decisions",
               program_name(argc, argv) == "kubectl-podium" ? "kubectl podium" : "podium"};
  app.require_subcommand(1);
  int exit_code = 0;
  run::add_command(app, plugins, exit_code);
  evaluate::add_command(app, plugins, exit_code);
  kubectl::add_verbs(app, exit_code);
  add_config(app, plugins, exit_code);
  add_version(app);
  add_help(app, exit_code);
  if (const auto words = words_to_complete(argc, argv)) return kubectl::print_completion(app, *words);
  const auto arguments = arguments_of(argc, argv);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::Success& help) {
    exit_code = app.exit(help);
  } catch (const CLI::ParseError& error) {
    std::cerr << usage_error(app, error);
    return 2;
  }
  // A full disk is detected only here; a partial answer must not look complete.
  if (!std::cout.flush()) {
    std::cerr << "podium: cannot write to standard output\n";
    return exit_code == 0 ? 1 : exit_code;
  }
  return exit_code;
}

}  // namespace podium::app
