#include "app/render/failure.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "app/render/text.h"

namespace podium::render {

std::string full_name(const CLI::App& command) {
  const auto* parent = command.get_parent();
  return parent ? full_name(*parent) + " " + command.get_name() : command.get_name();
}

std::string failure(const CLI::App& command, const Error& error) {
  return fmt::format("{}: {}\n", full_name(command), printable_lines(error.text()));
}

int failure_code(const Error& error) { return error.kind == Error::Kind::invalid ? 2 : 1; }

}  // namespace podium::render
