#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace podium {

void check_failed(const char* file, int line, std::string_view condition, std::string_view names,
                  std::string_view values) {
  const auto text = fmt::format("podium: check failed at {}:{}: {}{}\n", file, line, condition,
                                names.empty() ? "" : fmt::format(" ({} = {})", names, values));
  std::fputs(text.c_str(), stderr);
  std::abort();
}

}  // namespace podium
