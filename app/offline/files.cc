#include "app/offline/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/input.h"

namespace podium::offline {
namespace {

// The manifests in a directory and below it, as `kubectl apply -R` finds them; must-gather writes such trees.
std::vector<std::string> files_below(const std::string& directory) {
  std::vector<std::string> files;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator it(directory, error), end; !error && it != end;
       it.increment(error)) {
    const auto extension = it->path().extension();
    const bool is_manifest = extension == ".yaml" || extension == ".yml" || extension == ".json";
    if (is_manifest && it->is_regular_file(error)) files.push_back(it->path());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

std::vector<api::ManifestText> read_files(const std::vector<std::string>& arguments, Problems& problems,
                                          std::size_t most) {
  std::vector<api::ManifestText> texts;
  for (const auto& argument : arguments) {
    std::error_code error;
    const bool is_directory = std::filesystem::is_directory(argument, error);
    const auto files = is_directory ? files_below(argument) : std::vector{argument};
    if (files.empty()) problems.add(argument + ": no .yaml, .yml or .json file in this directory");
    for (const auto& file : files) {
      if (auto text = problems.value_of(read_whole_input(file, most)))
        texts.push_back({file, std::move(*text)});
    }
  }
  return texts;
}

}  // namespace podium::offline
