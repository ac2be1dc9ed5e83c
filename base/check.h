// PODIUM_CHECK(condition, value…): a precondition or an invariant, checked in all builds. If it is violated,
// the program prints the place, the condition and the values, and aborts: to go on would decide wrongly.
//
// For mistakes of the program. What users or servers send is an Error (result.h).
// Threads: any. Values need a formatter of fmt.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace podium {

[[noreturn]] void check_failed(const char* file, int line, std::string_view condition, std::string_view names,
                               std::string_view values);

template <typename... Values>
std::string described(const Values&... values) {
  std::string out;
  ((out += fmt::format("{}{}", out.empty() ? "" : ", ", values)), ...);
  return out;
}

}  // namespace podium

#define PODIUM_CHECK(condition, ...)                                       \
  do {                                                                     \
    if (!(condition)) [[unlikely]]                                         \
      ::podium::check_failed(__FILE__, __LINE__, #condition, #__VA_ARGS__, \
                             ::podium::described(__VA_ARGS__));            \
  } while (false)
