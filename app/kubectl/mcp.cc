// `podium mcp`: podium's answers as tools for an agent, by the Model Context Protocol.
#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <system_error>

#include "app/kubectl/verbs.h"
#include "app/mcp/serve.h"
#include "app/render/text.h"

namespace podium::kubectl {
namespace {

int run_mcp(const CLI::App& command, const Shared& shared) {
  const auto& connection = shared.connection;
  auto problems = problems_of(shared);
  // Standard input has the messages.
  if (std::ranges::find(connection.dump, "-") != connection.dump.end())
    problems.add("--cluster: needs a file; standard input has the agent's messages");
  for (const auto& file : connection.dump) {
    std::error_code ignored;
    if (file != "-" && !std::filesystem::exists(file, ignored))
      problems.add(fmt::format("--cluster: {}: No such file or directory", render::printable(file)));
  }
  if (problems) return fail_with(command, problems.error());
  mcp::ServeOptions options;
  options.flags = [&](std::string_view verb) { return words_of(connection, verb_named(verb)->takes); };
  return mcp::serve(options);
}

}  // namespace

std::function<int()> declare_mcp(CLI::App& command, const std::shared_ptr<Shared>& shared) {
  return [&command, shared] { return run_mcp(command, *shared); };
}

}  // namespace podium::kubectl
