#include "app/kubectl/command_output.h"

#include <chrono>
#include <iostream>

#include "app/render/failure.h"
#include "base/check.h"

namespace podium::kubectl {
namespace {

constexpr std::chrono::seconds kBetweenLooks{2};

}  // namespace

CommandOutput failed(const CLI::App& command, const Error& error) {
  return {.err = render::failure(command, error), .code = render::failure_code(error)};
}

CommandOutput documented(const CLI::App& command, const Output& output, const boost::json::value& document,
                         const std::vector<std::string>& names) {
  auto text = document_text(output, document, names);
  if (!text) return failed(command, text.error());
  return {.out = std::move(*text)};
}

CommandOutput answered(const CLI::App& command, const Output& output, boost::json::value document,
                       const std::vector<std::string>& names, const std::function<std::string()>& words) {
  if (output.is_for_people()) return {.out = words()};
  if (output.has_words()) document = with_words(words(), std::move(document));
  return documented(command, output, document, names);
}

int print(const CommandOutput& result) {
  std::cout << result.out;
  std::cout.flush();
  std::cerr << result.err;
  return result.code;
}

int say(Cluster& cluster, bool watch, const std::function<CommandOutput()>& once) {
  auto result = once();
  const auto code = print(result);
  if (!watch) return code;
  // An error of the first answer would repeat in the others.
  if (code == 1 || code == 2) return code;
  while (cluster.pause(kBetweenLooks)) {
    auto next = once();
    if (cluster.interrupted()) break;
    if (next.out == result.out && next.err == result.err) continue;
    if (!next.out.empty() && !result.out.empty()) std::cout << '\n';
    print(next);
    result = std::move(next);
  }
  PODIUM_CHECK(cluster.interrupted());  // a dump, which never changes, is refused before
  return 0;
}

}  // namespace podium::kubectl
