#include "client/auth/token.h"

#include <algorithm>
#include <mutex>
#include <optional>

#include "base/input.h"
#include "log/log.h"

namespace podium::client {
namespace {

class FixedToken final : public TokenSource {
 public:
  explicit FixedToken(std::string token) : token_(std::move(token)) {}
  Result<std::string> current() override { return token_; }
  void refresh() override {}

 private:
  const std::string token_;
};

class FileToken final : public TokenSource {
 public:
  FileToken(std::string path, std::chrono::milliseconds interval)
      : path_(std::move(path)), interval_(interval) {}

  Result<std::string> current() override {
    // Without waiting for another thread that reads.
    if (const std::lock_guard lock(mutex_); std::chrono::steady_clock::now() < next_look_) return token_;
    const std::lock_guard reading(reading_);
    std::optional<std::string> seen;  // of the current token
    {
      const std::lock_guard lock(mutex_);
      const auto now = std::chrono::steady_clock::now();
      if (now < next_look_) return token_;
      if (!token_.empty()) {
        seen = stamp_;
        next_look_ = now + interval_;  // others keep using the old one
      }
    }
    std::string stamp = file_stamp(path_);
    const bool is_same = seen == stamp;
    auto read = is_same ? Result<std::string>("") : read_token();
    const std::lock_guard lock(mutex_);
    if (is_same) return token_;
    if (!read && token_.empty()) return read;
    next_look_ = std::chrono::steady_clock::now() + interval_;
    stamp_ = std::move(stamp);
    if (read)
      token_ = std::move(*read);
    else
      log::warn("token not reloaded, keeping the old one reason={:?}", read.error().message);
    return token_;
  }

  bool ready() override {
    const std::lock_guard lock(mutex_);
    return std::chrono::steady_clock::now() + std::min(kCall, interval_ / 2) < next_look_;
  }

  void refresh() override {
    std::lock_guard lock(mutex_);
    next_look_ = {};
    stamp_.clear();
  }

 private:
  // The time from ready() to the call of current() that follows it.
  static constexpr std::chrono::milliseconds kCall{100};

  Result<std::string> read_token() const {
    auto text = read_file(path_, 64 * 1024);
    if (!text) return text;
    constexpr const char* space = " \t\r\n";
    auto first = text->find_first_not_of(space);
    if (first == std::string::npos) return invalid(path_ + ": the file is empty");
    std::string token = text->substr(first, text->find_last_not_of(space) - first + 1);
    if (!is_token(token)) return invalid(path_ + ": not a token");
    return token;
  }

  const std::string path_;
  const std::chrono::milliseconds interval_;
  std::mutex reading_;  // held while the file is read; taken before mutex_
  std::mutex mutex_;    // guards the members below, and is held only briefly
  std::string token_, stamp_;
  std::chrono::steady_clock::time_point next_look_{};
};

}  // namespace

bool is_token(const std::string& text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return c > ' ' && c < 127; });
}

std::shared_ptr<TokenSource> fixed_token(std::string token) {
  return std::make_shared<FixedToken>(std::move(token));
}

std::shared_ptr<TokenSource> file_token(std::string path, std::chrono::milliseconds interval) {
  return std::make_shared<FileToken>(std::move(path), interval);
}

}  // namespace podium::client
