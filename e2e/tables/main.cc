// Reads questions of upstream's plugin tests, one line of JSON each, and writes podium's answers, one line of
// JSON each:
// {"got": …}, or {"error": reason} without one.
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <exception>
#include <iostream>
#include <string>

#include "e2e/tables/recorded_answer.h"

int main() {
  std::ios::sync_with_stdio(false);
  for (std::string line; std::getline(std::cin, line);) {
    boost::json::object out;
    try {
      auto answer = podium::tables::answer(boost::json::parse(line).as_object());
      if (answer)
        out["got"] = std::move(*answer);
      else
        out["error"] = answer.error().message;
    } catch (const std::exception& e) {  // a line that the recorder would not write
      out["error"] = e.what();
    }
    std::cout << boost::json::serialize(out) << '\n';
  }
  std::cout.flush();
  return std::cout ? 0 : 1;
}
