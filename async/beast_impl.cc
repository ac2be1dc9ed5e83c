// Compiles Beast; all other translation units see only its declarations.
//
// Beast's parser asserts that five bytes are available at the end of the last chunk ("0\r\n\r\n"). Three are
// enough: the code after the assertion waits for the rest. A peer that sends the bytes one by one would end
// the process, so this one assertion is disabled. unit/client/http_reply_test.cc and
// unit/server/https_body_test.cc test such a peer.
#define BOOST_ENABLE_ASSERT_HANDLER
#include <boost/beast/src.hpp>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace boost {

void assertion_failed(char const* expression, char const* function, char const* file, long line) {
  if (std::string_view(expression) == "n >= 5") return;
  assertion_failed_msg(expression, "", function, file, line);
}

void assertion_failed_msg(char const* expression, char const* message, char const* function, char const* file,
                          long line) {
  std::fprintf(stderr, "%s:%ld: %s: assertion failed: %s %s\n", file, line, function, expression, message);
  std::abort();
}

}  // namespace boost
