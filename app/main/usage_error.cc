#include "app/main/usage_error.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <string_view>
#include <vector>

#include "app/render/failure.h"
#include "app/render/text.h"
#include "base/similar.h"

namespace podium::app {
namespace {

// The innermost subcommand that was parsed.
const CLI::App* innermost(const CLI::App* app) {
  const auto chosen = app->get_subcommands();
  return chosen.empty() ? app : innermost(chosen.front());
}

// A word that no command expects, and its place. A flag has no value here.
struct Unexpected {
  const CLI::App* command = nullptr;  // the command before it; null: all words are expected
  std::string word;

  bool is_flag() const { return word.starts_with('-'); }
};

Unexpected first_unexpected(const CLI::App& app) {
  for (auto& word : app.remaining()) {
    if (word == "--") continue;
    if (word.starts_with('-')) word.resize(std::min(word.find('='), word.size()));
    return {&app, word};
  }
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? Unexpected() : first_unexpected(*chosen.front());
}

std::string reason(const Unexpected& unexpected) {
  const auto& command = *unexpected.command;
  const bool chooses = command.get_subcommands().empty() && !command.get_subcommands(nullptr).empty();
  const auto* what = unexpected.is_flag() ? "unknown flag"
                     : chooses            ? "unknown command"
                                          : "unexpected argument";
  return fmt::format("{} \"{}\"", what, unexpected.word);
}

// Empty, or a line.
std::string hint(const Unexpected& unexpected, const CLI::App& command) {
  const auto& [before, word] = unexpected;
  if (before != &command && unexpected.is_flag() && command.get_option_no_throw(word))
    return fmt::format("Put {0} after the command: {1} {0}\n", word, render::full_name(command));
  std::vector<std::string> known;
  for (const auto* option : before->get_options()) {
    if (option->get_group().empty()) continue;  // hidden
    for (const auto& name : option->get_lnames()) known.push_back("--" + name);
  }
  for (const auto* sub : before->get_subcommands(nullptr)) known.push_back(sub->get_name());
  const auto without_dashes = [](std::string_view text) {
    return text.substr(std::min(text.find_first_not_of('-'), text.size()));
  };
  for (const auto& each : known)
    if (each.starts_with('-') == unexpected.is_flag() && is_typo(without_dashes(word), without_dashes(each)))
      return fmt::format("Did you mean {}?\n", each);
  return {};
}

}  // namespace

std::string usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const auto unexpected = first_unexpected(app);
  const auto& command = *innermost(&app);
  const auto name = render::full_name(unexpected.command ? *unexpected.command : command);
  const auto read_on = fmt::format("Run \"{} --help\" for usage.\n", name);
  if (!unexpected.command) return fmt::format("{}: {}\n{}", name, error.what(), read_on);
  return fmt::format("{}: {}\n{}{}", name, reason(unexpected), hint(unexpected, command), read_on);
}

std::string unknown_command(const CLI::App& command, const CLI::App& app, const std::string& word) {
  return fmt::format("{}: unknown command \"{}\"\n{}Run \"{} --help\" for usage.\n",
                     render::full_name(command), word, hint({&app, word}, app), render::full_name(app));
}

}  // namespace podium::app
