// The Model Context Protocol on one connection, without its I/O: messages in, replies and calls out. It has
// the revisions that begin with `initialize`, and 2026-07-28, whose requests carry their revision.
//
// Owner: the server. Threads: one. Errors: they are replies, as JSON-RPC and the protocol have them.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/mcp/tools.h"
#include "base/child_process.h"
#include "base/result.h"

namespace podium::mcp {

// The longest message, and the largest parts of an answer. What is longer is named, and left out.
inline constexpr std::size_t kLongestMessage = 1u << 20;
inline constexpr std::size_t kMostWords = 64 * 1024, kMostDocument = 256 * 1024;
inline constexpr std::size_t kMostInBatch = 64;

struct ToolCall {
  boost::json::value id;  // a string or an integer
  CommandLine command;
  std::string verb;
};

// The effect of a message: at most one of these.
struct Effect {
  std::string reply;                            // a line without its end; empty: none
  std::optional<ToolCall> call;                 // to be run; reply_of() is its reply
  std::optional<boost::json::value> cancelled;  // the id of a call that no client waits for
};

// What a line asks for. The replies to the messages of a batch are one array, without those that have none.
struct Line {
  std::vector<Effect> effects;
  bool is_batch = false;
};

Line take(std::string_view line);
// The reply to a message of more than kLongestMessage bytes.
std::string too_long();
// The reply to a call that was not run.
std::string refused(const ToolCall& call, std::string_view why);
// `end`: of the command, which printed with `-o answer`.
std::string reply_of(const ToolCall& call, const Result<ChildEnd>& end);

}  // namespace podium::mcp
