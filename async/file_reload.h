// FileReload<T>: loads files again when they change.
//
// Looks at the files every second and loads them on an executor of its own, because a file system that hangs
// blocks each call: stat(), open() and read(). Whatever replaces a file therefore holds up no connection.
// Changes are seen by the files' stamp (base/input.h), also those of a ConfigMap's file, which is a link.
//
// Owner: the part that uses the files; the gate that run() is in is empty before this is destroyed.
// Threads: `load` runs on the `files` executor; everything else on run()'s. Errors: T has those of `load`.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "async/nap.h"
#include "async/on.h"
#include "base/input.h"

namespace podium::async {

template <typename T>
class FileReload {
 public:
  using Load = std::function<T()>;      // reads the files
  using Take = std::function<void(T)>;  // gets what `load` has returned

  // Takes the stamp of the files, so make it before the first load. Skips empty paths.
  FileReload(std::vector<std::string> files, Load load, Take take)
      : files_(std::move(files)), load_(std::move(load)), take_(std::move(take)), seen_(stamp()) {}
  FileReload(const FileReload&) = delete;

  // Runs until it is cancelled.
  static Task<void> run(FileReload* self, boost::asio::any_io_executor files) {
    for (;;) {
      co_await nap(kInterval);
      auto load = load_task(self);
      auto loaded = co_await on(files, std::move(load));
      if (loaded) self->take_(std::move(*loaded));
    }
  }

  // One look, and what follows from it, on this thread.
  void look() {
    if (auto loaded = load_if_changed()) take_(std::move(*loaded));
  }

 private:
  static constexpr std::chrono::seconds kInterval{1};

  // Only one is in progress at a time, so the members need no lock.
  static Task<std::optional<T>> load_task(FileReload* self) { co_return self->load_if_changed(); }

  std::optional<T> load_if_changed() {
    auto seen = stamp();
    if (seen == seen_) return std::nullopt;
    seen_ = std::move(seen);
    return load_();
  }

  std::string stamp() const {
    std::string out;
    for (const auto& file : files_) out += file_stamp(file);
    return out;
  }

  const std::vector<std::string> files_;
  const Load load_;
  const Take take_;
  std::string seen_;  // the stamp at the last look
};

}  // namespace podium::async
