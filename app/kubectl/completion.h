// Completion of the command line in bash, zsh and fish, with names from the cluster. kubectl also completes,
// with a program named kubectl_complete-podium.
//
// Threads: main's. Errors: none; without the cluster there are no names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace podium::kubectl {

// The candidates to complete the typed words. `words`: without the program's name; the last is the one to
// complete, which may be empty.
struct Completion {
  std::vector<std::string> words;  // flags, subcommands and values
  std::string names_of;            // plural of a resource whose names may follow: "pods"; empty: none
  std::string prefix;              // before each name: "deploy/"
  bool files = false;              // file names may follow
};
Completion complete(const CLI::App& app, const std::vector<std::string>& words);

// Adds the names of the cluster to the candidates, without those that podium would read as a flag.
void add_names(const std::vector<std::string>& names, Completion& found);

// The words that begin with what is typed, without those that a shell would take apart or run: bash expands
// the candidates, and names come from a server.
std::vector<std::string> candidates(const std::vector<std::string>& words, std::string_view typed);

// Prints the candidates, one a line, then kubectl's directive: what `kubectl_complete-podium WORDS…` prints.
int print_completion(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace podium::kubectl
