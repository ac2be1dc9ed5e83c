// A Reflector whose requests and streams follow a script, and the diary of what it tells its handler.
#pragma once

#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/json/serialize.hpp>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "client/watch/reflector.h"
#include "unit/client/doubles.h"

namespace podium::client::reflector_test {

namespace asio = boost::asio;
namespace json = boost::json;
using namespace std::chrono_literals;
using End = unit::StreamScript::End;

inline std::string event(const std::string& type, const std::string& name, const std::string& uid,
                         int version) {
  return json::serialize(json::value{{"type", type},
                                     {"object",
                                      {{"apiVersion", "v1"},
                                       {"kind", "Pod"},
                                       {"metadata",
                                        {{"namespace", "ns"},
                                         {"name", name},
                                         {"uid", uid},
                                         {"resourceVersion", std::to_string(version)}}}}}}) +
         "\n";
}

inline std::string bookmark(int version, bool end) {
  return fmt::format(
      R"({{"type":"BOOKMARK","object":{{"metadata":{{"resourceVersion":"{}","annotations":{{{}}}}}}}}})"
      "\n",
      version, end ? R"("k8s.io/initial-events-end":"true")" : "");
}

// An object with that many levels of nesting.
inline std::string deep_object(const std::string& name, const std::string& uid, int version, int levels) {
  auto text =
      fmt::format(R"({{"metadata":{{"namespace":"ns","name":"{}","uid":"{}","resourceVersion":"{}"}},"x":)",
                  name, uid, version);
  for (int i = 2; i < levels; ++i) text += R"({"a":)";
  return text + "{}" + std::string(static_cast<std::size_t>(levels) - 1, '}');
}

inline std::string event_of(const std::string& type, const std::string& object) {
  return R"({"type":")" + type + R"(","object":)" + object + "}\n";
}

inline const std::string kExpired =
    R"({"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"too old"}})"
    "\n";

// Records all calls; stops the reflector after the entry `until`.
class Diary final : public ReflectorHandler {
 public:
  void changed(std::span<const Change> changes) override {
    for (const auto& change : changes) {
      const auto& meta = change.object.view().at("metadata").as_object();
      note(fmt::format("{}{}/{}", "+~-!"[static_cast<int>(change.type)], meta.at("name").as_string().c_str(),
                       meta.at("uid").as_string().c_str()));
    }
  }
  void versions_restarted() override { note("versions restarted"); }
  void synced() override { note("synced"); }
  void listed(std::string_view version) override { lists.emplace_back(version); }
  void unavailable(const Error& error) override { note(fmt::format("unavailable {}", error.status.code)); }
  void available() override { note("available"); }
  void note(std::string entry) {
    entries.push_back(std::move(entry));
    if (entries.back() == until) reflector->stop();
  }
  std::vector<std::string> entries, lists;
  std::string until;
  Reflector* reflector = nullptr;
};

struct Script {
  explicit Script(ReflectorOptions given = {}) : options(std::move(given)) {
    options.resource = resource::pods;
    options.backoff = options.backoff_max = 1ms;
    transport->on_open = [this](const Request&) -> Result<unit::StreamScript> {
      if (streams.empty()) return unit::StreamScript{200, {}, End::hang};
      auto next = std::move(streams.front());
      streams.pop_front();
      return next;
    };
    transport->on_send = [this](const Request& request) -> Result<Response> {
      if (replies.empty()) return Response{200, R"({"metadata":{"resourceVersion":"1000"}})"};
      if (request.target.find("limit=1") != std::string::npos && request.target.ends_with("limit=1")) {
        return Response{200, R"({"metadata":{"resourceVersion":"1000"}})"};
      }
      auto next = std::move(replies.front());
      replies.pop_front();
      return next;
    };
  }
  // Runs until the diary has `until`.
  Script& go(std::string until) {
    Api api(transport, system_clock(), system_random());
    Reflector reflector(api, options, diary);
    diary.until = std::move(until);
    diary.reflector = &reflector;
    asio::io_context context;
    asio::co_spawn(context, reflector.run(), asio::detached);
    context.run();
    counts = reflector.counts();
    return *this;
  }
  std::vector<std::string> targets() const {
    std::vector<std::string> out;
    for (const auto& request : transport->requests()) {
      auto target = request.target;
      if (const auto at = target.find("&timeoutSeconds="); at != std::string::npos) {
        target.erase(at, target.find('&', at + 1) - at);
      }
      out.push_back(target);
    }
    return out;
  }

  ReflectorOptions options;
  std::shared_ptr<unit::ScriptedTransport> transport = std::make_shared<unit::ScriptedTransport>();
  std::deque<unit::StreamScript> streams;
  std::deque<Result<Response>> replies;
  Diary diary;
  ReflectorCounts counts;
};

using Lines = std::vector<std::string>;

}  // namespace podium::client::reflector_test
