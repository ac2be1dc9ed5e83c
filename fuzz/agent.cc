// Messages of an agent, one per line: each reply is one line of JSON, and no value becomes a flag.
#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <string>

#include "app/mcp/protocol.h"
#include "fuzz/driver/require.h"
#include "fuzz/fuzzers.h"

namespace podium::fuzz {
namespace {

namespace json = boost::json;

void check_agents_reply(const std::string& reply) {
  require(reply.find('\n') == reply.npos, "a reply is one line", reply);
  boost::system::error_code error;
  const auto parsed = json::parse(reply, error);
  require(!error && parsed.is_object(), "a reply is JSON", reply);
  const auto& object = parsed.as_object();
  require(object.contains("id") && object.contains("jsonrpc"), "a reply has its id", reply);
  require(object.contains("result") != object.contains("error"), "a reply is a result or an error", reply);
}

// The flags that a tool has; "--filename=-" is the manifest.
bool is_flag_of(const mcp::Tool& tool, std::string_view word) {
  if (word == tool.always || word == "--filename=-") return true;
  return std::ranges::any_of(tool.arguments, [&](const mcp::Argument& argument) {
    return !argument.flag.empty() && word.starts_with(argument.flag) &&
           (word.size() == argument.flag.size() || word[argument.flag.size()] == '=');
  });
}

void check_call(const mcp::ToolCall& call) {
  auto words = call.command.words;
  if (planted() && words.size() > 3 && call.id.is_string()) words.back() = "--kubeconfig=x";
  const auto is_from_some_tool = std::ranges::any_of(mcp::tools(), [&](const mcp::Tool& tool) {
    return tool.verb == call.verb &&
           std::ranges::all_of(words.begin() + 1, words.end(), [&](const auto& word) {
             return !word.empty() && (!word.starts_with('-') || is_flag_of(tool, word));
           });
  });
  require(words.front() == call.verb && is_from_some_tool, "no value becomes a flag", words.back());
}

}  // namespace

void agent(std::string_view input) {
  while (!input.empty()) {
    const auto line = input.substr(0, input.find('\n'));
    input.remove_prefix(std::min(input.size(), line.size() + 1));
    const auto taken = mcp::take(line);
    require(taken.is_batch || taken.effects.size() == 1, "a message has one effect");
    require(taken.effects.size() <= mcp::kMostInBatch, "a batch is bounded");
    for (const auto& effect : taken.effects) {
      if (!effect.reply.empty()) check_agents_reply(effect.reply);
      require(!effect.call || effect.reply.empty(), "a call is answered once");
      if (!effect.call) continue;
      check_call(*effect.call);
      check_agents_reply(mcp::refused(*effect.call, "busy"));
      check_agents_reply(mcp::reply_of(*effect.call, ChildEnd{0, std::string(line), std::string(line)}));
    }
  }
}

}  // namespace podium::fuzz
