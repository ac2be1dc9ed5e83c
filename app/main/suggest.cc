#include "app/main/suggest.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <numeric>
#include <string_view>

namespace podium::app {
namespace {

// Levenshtein distance.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const auto replaced = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

std::vector<std::string> known_words(const CLI::App& command) {
  std::vector<std::string> words;
  for (const auto* option : command.get_options()) {
    if (option->get_group().empty()) continue;  // hidden
    for (const auto& name : option->get_lnames()) words.push_back("--" + name);
  }
  for (const auto* sub : command.get_subcommands(nullptr)) words.push_back(sub->get_name());
  return words;
}

}  // namespace

std::string did_you_mean(const CLI::App& command, const std::vector<std::string>& arguments) {
  const auto words = known_words(command);
  for (const auto& argument : arguments) {
    const auto typed = argument.substr(0, argument.find('='));
    if (std::ranges::find(words, typed) != words.end()) continue;
    for (const auto& word : words) {
      if (distance(typed, word) <= 2) return "Did you mean " + word + "?";
    }
  }
  return {};
}

}  // namespace podium::app
