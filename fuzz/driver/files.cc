#include "fuzz/driver/files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

namespace podium::fuzz {
namespace {

namespace fs = std::filesystem;

Result<std::string> read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return invalid(path + ": cannot be read");
  return std::string(std::istreambuf_iterator<char>(in), {});
}

int hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 0;
}

// The text between the first quote and the last one of a line.
std::optional<std::string> word_of(std::string_view line) {
  const auto begin = line.find('"'), end = line.rfind('"');
  if (line.starts_with('#') || begin == end) return std::nullopt;
  std::string out;
  for (auto at = begin + 1; at < end; ++at) {
    if (line[at] != '\\') {
      out += line[at];
    } else if (at + 3 < end + 1 && line[at + 1] == 'x') {
      out += static_cast<char>(hex(line[at + 2]) * 16 + hex(line[at + 3]));
      at += 3;
    } else if (at + 1 < end) {
      out += line[++at];
    }
  }
  return out;
}

}  // namespace

Result<std::vector<CorpusFile>> read_corpus(const std::string& path) {
  std::error_code error;
  std::vector<std::string> paths;
  if (fs::is_directory(path, error)) {
    for (const auto& each : fs::directory_iterator(path, error)) {
      if (each.is_regular_file(error)) paths.push_back(each.path().string());
    }
  } else {
    paths.push_back(path);
  }
  if (error) return invalid(path + ": " + error.message());
  std::ranges::sort(paths);
  std::vector<CorpusFile> out;
  for (auto& each : paths) {
    auto text = read_text(each);
    if (!text) return std::unexpected(text.error());
    out.push_back({std::move(each), std::move(*text)});
  }
  return out;
}

Result<std::vector<std::string>> read_words(const std::string& path) {
  std::vector<std::string> words;
  std::error_code none;
  if (!fs::exists(path, none)) return words;
  const auto text = read_text(path);
  if (!text) return std::unexpected(text.error());
  for (std::size_t begin = 0; begin < text->size();) {
    const auto end = std::min(text->find('\n', begin), text->size());
    if (auto word = word_of(std::string_view(*text).substr(begin, end - begin))) words.push_back(*word);
    begin = end + 1;
  }
  return words;
}

}  // namespace podium::fuzz
