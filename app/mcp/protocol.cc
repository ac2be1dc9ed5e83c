#include "app/mcp/protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/system/error_code.hpp>

#include "base/utf8.h"
#include "base/version.h"

namespace podium::mcp {
namespace {

namespace json = boost::json;

constexpr std::string_view kNewest = "2026-07-28";
// Those that begin with `initialize`, the newest first.
constexpr std::array<std::string_view, 4> kWithInitialize = {"2025-11-25", "2025-06-18", "2025-03-26",
                                                             "2024-11-05"};
constexpr std::string_view kVersionKey = "io.modelcontextprotocol/protocolVersion";
constexpr std::string_view kServerKey = "io.modelcontextprotocol/serverInfo";

constexpr std::string_view kInstructions =
    "podium is the cluster's scheduler, or reads a dump of a cluster. It computes placements with the "
    "scheduler's own code: ask it instead of adding up requests and free resources, which misses taints, "
    "affinity, spreading, volumes, quotas and preemption. Use why for a pod that waits or is on an odd node, "
    "what_waits for an overview, what_would_help before proposing a change, what_if and how_many_fit before "
    "a rollout or scaling, and drain before maintenance. All tools only read: a question is an object that "
    "podium answers and deletes. Quote its numbers as they are.";

// JSON-RPC's and the protocol's codes.
constexpr int kParseError = -32700, kInvalidRequest = -32600, kMethodNotFound = -32601,
              kInvalidParams = -32602, kBusy = -32000, kUnsupportedVersion = -32022;

std::string line_of(json::object message) {
  message["jsonrpc"] = "2.0";
  return json::serialize(message);
}

std::string error_of(const json::value& id, int code, std::string_view message, json::value data = nullptr) {
  json::object error{{"code", code}, {"message", message}};
  if (!data.is_null()) error["data"] = std::move(data);
  return line_of({{"id", id}, {"error", std::move(error)}});
}

// Revisions before 2026-07-28 ignore resultType.
std::string result_of(const json::value& id, json::object result) {
  if (!result.empty()) result["resultType"] = "complete";
  return line_of({{"id", id}, {"result", std::move(result)}});
}

json::object server_info() {
  return {{"name", "podium"},
          {"title", "podium, a Kubernetes scheduler that explains its decisions"},
          {"version", kVersion}};
}

json::object capabilities() { return {{"tools", json::object{{"listChanged", false}}}}; }

std::string initialized(const json::value& id, const json::object& params) {
  const auto* asked = params.if_contains("protocolVersion");
  const std::string_view version =
      asked && asked->is_string() ? std::string_view(asked->as_string()) : std::string_view();
  const bool is_known = std::ranges::find(kWithInitialize, version) != kWithInitialize.end();
  return line_of({{"id", id},
                  {"result", json::object{{"protocolVersion", is_known ? version : kWithInitialize.front()},
                                          {"capabilities", capabilities()},
                                          {"serverInfo", server_info()},
                                          {"instructions", kInstructions}}}});
}

std::string discovered(const json::value& id) {
  return result_of(id, {{"supportedVersions", json::array{kNewest}},
                        {"capabilities", capabilities()},
                        {"instructions", kInstructions},
                        {"ttlMs", 3'600'000},
                        {"cacheScope", "public"},
                        {"_meta", json::object{{kServerKey, server_info()}}}});
}

std::string listed(const json::value& id) {
  json::array list;
  for (const auto& tool : tools()) list.push_back(description_of(tool));
  return result_of(id, {{"tools", std::move(list)}, {"ttlMs", 3'600'000}, {"cacheScope", "public"}});
}

json::object text_content(std::string_view text) { return {{"type", "text"}, {"text", text}}; }

std::string tool_error(const json::value& id, std::string_view text) {
  return result_of(id, {{"content", json::array{text_content(text)}}, {"isError", true}});
}

// The agent wrote an argument, which is "-" to the command: "manifest:7: spec.containers[0].imag: …".
std::string with_places(const std::string& text, const CommandLine& command, std::string_view verb) {
  if (command.input_name.empty()) return text;
  const auto program = fmt::format("podium {}: ", verb);
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size() - 1) + 1;
    std::string_view line(text.data() + at, end - at);
    at = end;
    if (line.starts_with(program)) {
      out += program;
      line.remove_prefix(program.size());
    }
    if (line.starts_with("-:")) {
      out += command.input_name;
      line.remove_prefix(1);
    }
    out += line;
  }
  return out;
}

Effect called(const json::value& id, const json::object& params) {
  const auto* name = params.if_contains("name");
  if (!name || !name->is_string()) return {.reply = error_of(id, kInvalidParams, "params.name: missing")};
  const auto* tool = tool_named(name->as_string());
  if (!tool) {
    return {.reply = error_of(id, kInvalidParams,
                              fmt::format("Unknown tool: {}", name->as_string().size() > 64
                                                                  ? std::string_view("(a long name)")
                                                                  : std::string_view(name->as_string())))};
  }
  const auto* arguments = params.if_contains("arguments");
  auto command = command_line(*tool, arguments ? *arguments : json::value());
  // A result, so that the agent sees what to correct.
  if (!command) return {.reply = tool_error(id, command.error().text())};
  return {.call = ToolCall{id, std::move(*command), std::string(tool->verb)}};
}

// The revision that a request carries, if it is one that podium does not have.
std::optional<std::string> unsupported_version(const json::object& params) {
  const auto* meta = params.if_contains("_meta");
  const auto* version = meta && meta->is_object() ? meta->as_object().if_contains(kVersionKey) : nullptr;
  if (!version || !version->is_string() || version->as_string() == kNewest) return std::nullopt;
  return std::string(version->as_string());
}

Effect requested(std::string_view method, const json::value& id, const json::object& params) {
  if (const auto version = unsupported_version(params)) {
    return {.reply = error_of(id, kUnsupportedVersion, "Unsupported protocol version",
                              json::object{{"supported", json::array{kNewest}}, {"requested", *version}})};
  }
  if (method == "initialize") return {.reply = initialized(id, params)};
  if (method == "server/discover") return {.reply = discovered(id)};
  if (method == "ping") return {.reply = result_of(id, {})};
  if (method == "tools/list") {
    // The list is one page, so no cursor is known.
    const auto* cursor = params.if_contains("cursor");
    if (cursor && !cursor->is_null()) return {.reply = error_of(id, kInvalidParams, "Unknown cursor")};
    return {.reply = listed(id)};
  }
  if (method == "tools/call") return called(id, params);
  return {.reply =
              error_of(id, kMethodNotFound,
                       fmt::format("Method not found: {}", method.size() > 64 ? "(a long name)" : method))};
}

Effect notified(std::string_view method, const json::object& params) {
  const auto* id = params.if_contains("requestId");
  if (method == "notifications/cancelled" && id) return {.cancelled = *id};
  return {};
}

// Boost.JSON's parser accepts valid UTF-8 only. A reply must not have anything else.
Result<json::value> parse(std::string_view text) {
  boost::system::error_code error;
  auto value = json::parse(text, error);
  if (error) return invalid(error.message());
  return value;
}

// What a command printed on standard error may have anything in it.
std::string valid(std::string text) {
  if (!parse(json::serialize(json::value(text)))) {
    std::ranges::replace_if(text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '?');
  }
  return text;
}

// Cut at the end of a line, or of a character if a line is too long.
std::string shortened(std::string text) {
  if (text.size() <= kMostWords) return text;
  const auto size = text.size();
  const auto end = std::min(text.rfind('\n', kMostWords), kMostWords);
  text.resize(whole_characters(text, end).size());
  return text + fmt::format("\n… {} of {} bytes: narrow the question by namespace or selector.\n",
                            text.size(), size);
}

Effect effect_of(const json::value& message, bool is_in_batch) {
  const auto* object = message.if_object();
  if (!object) return {.reply = error_of(nullptr, kInvalidRequest, "a message must be an object")};
  const auto* id = object->if_contains("id");
  const auto* method = object->if_contains("method");
  const auto* version = object->if_contains("jsonrpc");
  const auto* params = object->if_contains("params");
  // Replies to requests that podium does not send.
  if (!method && (object->contains("result") || object->contains("error"))) return {};
  const bool has_id = id && (id->is_string() || id->is_int64() || id->is_uint64());
  if (!method || !method->is_string() || !version || *version != json::value("2.0") || (id && !has_id) ||
      (params && !params->is_object())) {
    return {.reply = error_of(has_id ? *id : json::value(), kInvalidRequest, "Invalid request")};
  }
  static const json::object kNone;
  const auto& given = params ? params->as_object() : kNone;
  if (!id) return notified(method->as_string(), given);
  if (is_in_batch && *method == json::value("initialize"))
    return {.reply = error_of(*id, kInvalidRequest, "initialize cannot be part of a batch")};
  return requested(method->as_string(), *id, given);
}

}  // namespace

Line take(std::string_view line) {
  const auto one = [](std::string reply) {
    Line out;
    out.effects.push_back({.reply = std::move(reply)});
    return out;
  };
  const auto parsed = parse(line);
  if (!parsed) return one(error_of(nullptr, kParseError, "Parse error: " + parsed.error().message));
  Line out;
  const auto* batch = parsed->if_array();
  if (!batch) {
    out.effects.push_back(effect_of(*parsed, false));
    return out;
  }
  if (batch->empty()) return one(error_of(nullptr, kInvalidRequest, "a batch has at least one message"));
  if (batch->size() > kMostInBatch) {
    return one(
        error_of(nullptr, kInvalidRequest, fmt::format("a batch has at most {} messages", kMostInBatch)));
  }
  out.is_batch = true;
  for (const auto& message : *batch) out.effects.push_back(effect_of(message, true));
  return out;
}

std::string too_long() {
  return error_of(nullptr, kInvalidRequest, fmt::format("a message has at most {} bytes", kLongestMessage));
}

std::string refused(const ToolCall& call, std::string_view why) { return error_of(call.id, kBusy, why); }

std::string reply_of(const ToolCall& call, const Result<ChildEnd>& end) {
  if (!end) return tool_error(call.id, "podium " + call.verb + " " + end.error().text());
  const auto printed = parse(end->output);
  const auto* answer = printed ? printed->if_object() : nullptr;
  const auto* words = answer ? answer->if_contains("words") : nullptr;
  const auto* document = answer ? answer->if_contains("document") : nullptr;
  // 1: failed, 2: invalid input. Else it is an answer, also if nothing fits.
  if (end->status == 1 || end->status == 2 || !words || !words->is_string() || !document) {
    auto text = with_places(valid(end->errors), call.command, call.verb);
    if (words && words->is_string()) text += words->as_string();
    if (text.empty()) text = fmt::format("podium {} ended with status {}\n", call.verb, end->status);
    return tool_error(call.id, shortened(std::move(text)));
  }
  auto text = shortened(std::string(words->as_string()) + valid(end->errors));
  json::object result{{"isError", false}};
  const auto size = json::serialize(*document).size();
  if (size > kMostDocument)
    text += fmt::format(
        "The JSON of this answer is omitted, because it has {} bytes, more than {}: narrow the question.\n",
        size, kMostDocument);
  else if (document->is_object())
    result["structuredContent"] = *document;
  result["content"] = json::array{text_content(text)};
  return result_of(call.id, std::move(result));
}

}  // namespace podium::mcp
