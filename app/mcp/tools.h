// The tools that an agent gets: a row for each, with its arguments. A tool is a command of kubectl's plugin.
// Its arguments become a command line, so an agent gets the answer that a user gets, with the user's rights.
//
// Threads: pure functions. Errors: Kind::invalid, with all wrong arguments.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace podium::mcp {

struct Argument {
  enum class Type {
    name,      // of an object, or TYPE/NAME
    names,     // several
    text,      // a line
    count,     // between `least` and `most`
    flag,      // true or false
    manifest,  // YAML or JSON; becomes the command's standard input
  };
  std::string_view name;
  Type type;
  std::string_view flag;  // of the command: "--node"; empty: a word on its own
  std::string_view about;
  bool is_required = false;
  std::int64_t least = 1, most = 0;  // of a count
};

struct Tool {
  std::string_view name, title, about;
  std::string_view verb;    // of the plugin
  std::string_view always;  // a flag that the command always has; empty: none
  std::span<const Argument> arguments;
  bool needs_one_word = false;  // exactly one of the arguments without a flag, the manifest included
};

std::span<const Tool> tools();
const Tool* tool_named(std::string_view name);  // null: none

// What the protocol lists: name, title, description, inputSchema and annotations.
boost::json::object description_of(const Tool& tool);

struct CommandLine {
  std::vector<std::string> words;  // the verb first
  std::string input = {};          // for standard input
  std::string input_name = {};     // of the argument with it
};

// Every value that an agent chose is part of a flag's word, or is a name that cannot be taken for a flag.
Result<CommandLine> command_line(const Tool& tool, const boost::json::value& arguments);

}  // namespace podium::mcp
