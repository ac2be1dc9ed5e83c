#include "app/kubectl/completion.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <iostream>
#include <memory>
#include <utility>

#include "api/text/json_view.h"
#include "app/kubectl/live_cluster.h"
#include "app/kubectl/targets.h"
#include "app/kubectl/verbs.h"
#include "scheduler/framework/reason.h"

namespace podium::kubectl {
namespace {

using Words = std::vector<std::string>;

// Cobra's ShellCompDirective, which kubectl reads from the last line.
constexpr int kDefault = 0, kNoFiles = 4;
constexpr std::size_t kMostNames = 500;
constexpr const char* kQuick = "2s";  // a shell waits for it

// The resource whose names complete a flag or an argument of this type.
constexpr std::pair<std::string_view, const char*> kTypes[] = {
    {"NODE", "nodes"}, {"NS", "namespaces"}, {"POD", "pods"}};

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

Completion value_of(const CLI::App& command, const std::string& flag) {
  const auto* found = option(command, flag);
  const auto type = found ? found->get_type_name() : std::string();
  if (type == "FORMAT") return {.words = {kFormats.begin(), kFormats.end()}};
  if (type == "FILE") return {.files = true};
  if (type.starts_with("WHEN")) return {.words = {"auto", "always", "never"}};
  const auto* named = std::ranges::find(kTypes, type, &std::pair<std::string_view, const char*>::first);
  return named == std::end(kTypes) ? Completion() : Completion{.names_of = named->second};
}

// The first alternative of a verb's arguments decides what may follow: a pod, a node, a workload.
Completion argument_of(const CLI::App& command, const std::string& typed) {
  const auto* verb = verb_named(command.get_name());
  if (!verb) return {.files = true};
  const auto& takes = verb->arguments;
  const auto slash = typed.find('/');
  if (takes.contains("TYPE/NAME") && slash != std::string::npos) {
    const auto* maker = api::pod_maker_named(typed.substr(0, slash));
    return maker ? Completion{.names_of = std::string(maker->plural), .prefix = typed.substr(0, slash + 1)}
                 : Completion{};
  }
  if (takes == "A B" && (typed.starts_with('.') || typed.starts_with('/'))) return {.files = true};
  if (takes.starts_with("POD") || takes == "A B") return {.names_of = "pods"};
  if (takes.starts_with("NODE")) return {.names_of = "nodes"};
  if (takes.contains("CODE")) {
    Completion codes;
    for (const auto& row : framework::reason_rows()) codes.words.emplace_back(row.name);
    return codes;
  }
  if (!takes.contains("TYPE/NAME")) return {};
  Completion types;
  for (const auto& maker : api::pod_makers()) types.words.push_back(std::string(maker.short_name) + "/");
  return types;
}

Result<Words> names(const ConnectionFlags& connection, const std::string& plural) {
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
ConnectionFlags typed_connection(const Words& words) {
  ConnectionFlags connection{.request_timeout = kQuick};
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == "-n" || words[i] == "--namespace") connection.ns = words[i + 1];
    if (words[i] == "--context") connection.config_flags.context = words[i + 1];
    if (words[i] == "--user") connection.config_flags.user = words[i + 1];
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
  if (!flag.empty()) return value_of(*command, flag);
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

void add_names(const Words& names, Completion& found) {
  for (const auto& name : names) {
    auto word = found.prefix + name;
    if (!word.starts_with('-')) found.words.push_back(std::move(word));
  }
}

Words candidates(const Words& words, std::string_view typed) {
  const auto is_plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || std::string_view("-._/=:").contains(c);
  };
  Words out;
  for (const auto& word : words) {
    if (word.starts_with(typed) && std::ranges::all_of(word, is_plain)) out.push_back(word);
  }
  return out;
}

int print_completion(const CLI::App& app, const Words& words) {
  auto found = complete(app, words);
  const auto typed = words.empty() ? std::string() : words.back();
  if (!found.names_of.empty()) {
    if (const auto listed = names(typed_connection(words), found.names_of)) add_names(*listed, found);
  }
  for (const auto& word : candidates(found.words, typed)) std::cout << word << '\n';
  std::cout << ':' << (found.files ? kDefault : kNoFiles) << '\n';
  return 0;
}

std::function<int()> declare_completion(CLI::App& command, const std::shared_ptr<Shared>&) {
  const auto shell = std::make_shared<std::string>();
  command.add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  return [shell] {
    std::cout << (*shell == "bash" ? kBash : *shell == "zsh" ? kZsh : kFish);
    return 0;
  };
}

}  // namespace podium::kubectl
