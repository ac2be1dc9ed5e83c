#include "fuzz/driver/last_input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <utility>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

namespace podium::fuzz {
namespace {

constexpr unsigned kLongest = 60;  // seconds for one input, with sanitizers on a loaded machine

// The handlers below run in a process that is broken: they use what was prepared, and system calls.
struct Last {
  std::string fuzzer, folder, origin;
  std::string_view input;
  bool kept = false;
};
Last& last() {
  static Last the_last;
  return the_last;
}

std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash;
}

template <std::size_t N, typename... Args>
std::string_view print_into(std::array<char, N>& buffer, fmt::format_string<Args...> format, Args&&... args) {
  const auto end = fmt::format_to_n(buffer.data(), N - 1, format, std::forward<Args>(args)...).out;
  *end = '\0';
  return {buffer.data(), static_cast<std::size_t>(end - buffer.data())};
}

void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const auto wrote = ::write(fd, text.data(), text.size());
    if (wrote <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
}

void keep() {
  auto& it = last();
  if (std::exchange(it.kept, true)) return;
  std::array<char, 512> path{}, line{};
  if (it.folder.empty()) {
    write_all(STDERR_FILENO, print_into(line, "fuzzer {} ends at {}\n", it.fuzzer, it.origin));
    return;
  }
  const auto name = print_into(path, "{}/{}-{:016x}", it.folder, it.fuzzer, hash_of(it.input));
  if (const int fd = ::open(path.data(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644); fd >= 0) {
    write_all(fd, it.input);
    ::close(fd);
  }
  write_all(
      STDERR_FILENO,
      print_into(line, "fuzzer {} ends at {}, which is kept; again: build/asan/fuzz/podium_fuzz run {} {}\n",
                 it.fuzzer, it.origin, it.fuzzer, name));
}

void on_signal(int signal) {
  if (signal == SIGALRM) {
    std::array<char, 128> line{};
    write_all(STDERR_FILENO, print_into(line, "broken: an input takes more than {} s\n", kLongest));
  }
  keep();
  std::signal(SIGABRT, SIG_DFL);
  std::abort();
}

}  // namespace

void keep_last_input(std::string fuzzer, std::string folder) {
  std::error_code ignored;
  if (!folder.empty()) std::filesystem::create_directories(folder, ignored);
  last().fuzzer = std::move(fuzzer);
  last().folder = std::move(folder);
  for (const int signal : {SIGABRT, SIGALRM}) std::signal(signal, on_signal);
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_set_death_callback(keep);
#else
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) std::signal(signal, on_signal);
#endif
}

void set_last_input(std::string_view input, std::string_view origin) {
  auto& it = last();
  it.input = input;
  it.origin = origin;
  ::alarm(kLongest);
}

}  // namespace podium::fuzz

#ifdef __SANITIZE_ADDRESS__
// An input that takes more memory than podium's limit in the chart is a finding.
extern "C" const char* __asan_default_options() {
  return "hard_rss_limit_mb=2048:max_allocation_size_mb=512:detect_stack_use_after_return=0";
}
// UBSan's runtime does not call ASan's callback; its signal keeps the input.
extern "C" const char* __ubsan_default_options() { return "abort_on_error=1:print_stacktrace=1"; }
#endif
