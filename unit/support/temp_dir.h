// A temporary directory, removed on destruction.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace podium::unit {

class TempDir {
 public:
  TempDir() {
    std::string pattern = (std::filesystem::temp_directory_path() / "podium-XXXXXX").string();
    root_ = ::mkdtemp(pattern.data());
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  TempDir(const TempDir&) = delete;

  std::string path(const std::string& name) const { return (root_ / name).string(); }
  // Replaces the file as a whole; gives its path.
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name + ".new")) << text;
    std::filesystem::rename(path(name + ".new"), path(name));
    return path(name);
  }
  void remove(const std::string& name) const { std::filesystem::remove(path(name)); }

 private:
  std::filesystem::path root_;
};

}  // namespace podium::unit
