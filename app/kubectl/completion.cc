#include "app/kubectl/completion.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <iostream>
#include <memory>
#include <utility>

#include "api/json_view.h"
#include "app/kubectl/live_cluster.h"
#include "app/kubectl/manifest.h"

namespace podium::kubectl {
namespace {

using Words = std::vector<std::string>;

// Cobra's ShellCompDirective, which kubectl reads from the last line.
constexpr int kDefault = 0, kNoFiles = 4;
constexpr std::size_t kMostNames = 500;
constexpr const char* kQuick = "2s";  // a shell waits for it

// Flags with names of the cluster as values.
constexpr std::pair<std::string_view, const char*> kNameFlags[] = {{"--node", "nodes"},
                                                                   {"--drain", "nodes"},
                                                                   {"--like", "nodes"},
                                                                   {"--namespace", "namespaces"},
                                                                   {"-n", "namespaces"}};
constexpr std::array<std::string_view, 5> kFileFlags = {"-f", "--filename", "--kubeconfig", "--config",
                                                        "--cluster"};

const CLI::App* subcommand(const CLI::App& app, const std::string& word) {
  const auto subs = app.get_subcommands(nullptr);
  const auto found = std::ranges::find_if(subs, [&](const auto* sub) { return sub->get_name() == word; });
  return found == subs.end() ? nullptr : *found;
}

const CLI::Option* option(const CLI::App& command, const std::string& flag) {
  for (const auto* each : command.get_options()) {
    if (each->check_name(flag)) return each;
  }
  return nullptr;
}

bool takes_value(const CLI::App& command, const std::string& flag) {
  const auto* found = flag.starts_with('-') ? option(command, flag) : nullptr;
  return found && found->get_items_expected_max() > 0;
}

Completion value_of(const std::string& flag) {
  if (flag == "-o" || flag == "--output") return {.words = {"table", "wide", "json", "yaml"}};
  if (flag == "--color") return {.words = {"auto", "always", "never"}};
  if (std::ranges::find(kFileFlags, flag) != kFileFlags.end()) return {.files = true};
  const auto* named = std::ranges::find(kNameFlags, flag, [](const auto& pair) { return pair.first; });
  if (named != std::end(kNameFlags)) return {.names_of = named->second};
  return {};
}

Completion argument_of(const CLI::App& command, const std::string& typed) {
  if (command.get_name() == "diff" && (typed.starts_with('.') || typed.starts_with('/')))
    return {.files = true};
  if (command.get_name() == "why" || command.get_name() == "diff") return {.names_of = "pods"};
  if (command.get_name() == "drain") return {.names_of = "nodes"};
  if (command.get_name() == "pending" || command.get_name() == "top" || command.get_name() == "dump")
    return {};
  if (command.get_name() != "whatif" && command.get_name() != "capacity") return {.files = true};
  const auto slash = typed.find('/');
  if (slash == std::string::npos)
    return {.words = {"deploy/", "sts/", "rs/", "ds/", "job/", "cj/", "rc/", "pod/"}};
  const auto* maker = api::pod_maker_named(typed.substr(0, slash));
  return maker ? Completion{.names_of = std::string(maker->plural), .prefix = typed.substr(0, slash + 1)}
               : Completion{};
}

Result<Words> names(const Connection& connection, const std::string& plural) {
  auto cluster = LiveCluster::connect(connection);
  if (!cluster) return std::unexpected(cluster.error());
  client::Resource resource("", "v1", plural, plural == "pods");
  if (const auto* maker = api::pod_maker_named(plural)) resource = resource_of(*maker);
  client::ListOptions options;
  options.metadata_only = true;
  const auto listed = (*cluster)->list(resource, resource.namespaced ? (*cluster)->ns() : "", options);
  if (!listed) return std::unexpected(listed.error());
  Words out;
  for (const auto& object : *listed) {
    if (out.size() == kMostNames) break;
    out.push_back(api::text_at(object, "/metadata/name"));
  }
  return out;
}

// The connection flags that were typed before.
Connection typed_connection(const Words& words) {
  Connection connection{.request_timeout = kQuick};
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == "-n" || words[i] == "--namespace") connection.ns = words[i + 1];
    if (words[i] == "--context") connection.context = words[i + 1];
    if (words[i] == "--kubeconfig") connection.kubeconfig = words[i + 1];
  }
  return connection;
}

constexpr const char* kBash = R"(_podium() {
  local IFS=$'\n' found
  found=$(podium __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [ "${found##*$'\n'}" = ":0" ]; then COMPREPLY=($(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")); return; fi
  COMPREPLY=($(compgen -W "${found%:*}" -- "${COMP_WORDS[COMP_CWORD]}"))
  case ${COMPREPLY[0]-} in */) compopt -o nospace ;; esac
}
complete -F _podium podium
)";
constexpr const char* kZsh = R"(#compdef podium
_podium() {
  local -a found
  found=("${(@f)$(podium __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ ${found[-1]} = ":0" ]]; then _files; else compadd -- "${(@)found[1,-2]}"; fi
}
compdef _podium podium
)";
constexpr const char* kFish = R"(function __podium_complete
  set -l found (podium __complete (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)
  if test "$found[-1]" = ":0"; __fish_complete_path (commandline -ct); else; printf '%s\n' $found[1..-2]; end
end
complete -c podium -f -a '(__podium_complete)'
)";

}  // namespace

Completion complete(const CLI::App& app, const Words& words) {
  const auto* command = &app;
  std::string flag;  // that waits for its value
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (!flag.empty()) {
      flag.clear();
    } else if (takes_value(*command, words[i])) {
      flag = words[i];
    } else if (const auto* sub = subcommand(*command, words[i])) {
      command = sub;
    }
  }
  const auto typed = words.empty() ? std::string() : words.back();
  if (!flag.empty()) return value_of(flag);
  if (typed.starts_with('-')) {
    Completion flags;
    for (const auto* each : command->get_options()) {
      if (each->get_group().empty()) continue;  // hidden
      for (const auto& name : each->get_lnames()) flags.words.push_back("--" + name);
    }
    return flags;
  }
  const auto subs = command->get_subcommands(nullptr);
  if (subs.empty()) return argument_of(*command, typed);
  Completion commands;
  for (const auto* sub : subs) {
    if (!sub->get_group().empty()) commands.words.push_back(sub->get_name());
  }
  return commands;
}

int print_completion(const CLI::App& app, const Words& words) {
  auto found = complete(app, words);
  const auto typed = words.empty() ? std::string() : words.back();
  if (!found.names_of.empty()) {
    if (auto listed = names(typed_connection(words), found.names_of)) {
      for (auto& name : *listed) found.words.push_back(found.prefix + name);
    }
  }
  for (const auto& word : found.words) {
    if (word.starts_with(typed)) std::cout << word << '\n';
  }
  std::cout << ':' << (found.files ? kDefault : kNoFiles) << '\n';
  return 0;
}

void add_completion(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("completion", "Prints a script that completes commands in a shell");
  const auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->callback([shell, &exit_code] {
    std::cout << (*shell == "bash" ? kBash : *shell == "zsh" ? kZsh : kFish);
    exit_code = 0;
  });
}

}  // namespace podium::kubectl
