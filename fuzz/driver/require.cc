#include "fuzz/driver/require.h"

#include <cstdio>
#include <cstdlib>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

namespace podium::fuzz {
namespace {

constexpr std::size_t kShown = 2000;  // bytes
bool bugs_are_planted = false;

}  // namespace

void require(bool holds, std::string_view what, std::string_view shown) {
  if (holds) return;
  auto message = "broken: " + std::string(what);
  if (!shown.empty()) message += ": " + std::string(shown.substr(0, kShown));
  if (planted()) throw Violation(message);
  std::fprintf(stderr, "%s\n", message.c_str());
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_print_stack_trace();
#endif
  std::abort();
}

bool planted() { return bugs_are_planted; }
void plant_bugs() { bugs_are_planted = true; }

}  // namespace podium::fuzz
