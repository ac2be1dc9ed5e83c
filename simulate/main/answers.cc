#include "simulate/main/answers.h"

#include <fmt/format.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <iostream>
#include <string>

#include "async/virtual_time.h"
#include "base/ascii.h"
#include "simulate/server/api_server.h"

namespace podium::simulate {
namespace {

using namespace std::chrono_literals;

json::value read_body(const std::string& body) {
  boost::system::error_code failure;
  auto value = json::parse(body, failure);
  return failure ? json::value(body) : value;
}

class Answers {
 public:
  Answers() {
    server_.unknown = [](const client::Request& request, std::string_view why) {
      fmt::print(stderr, "the model does not know: {} {}: {}\n", request.method, request.target, why);
    };
    server_.refuses = [](std::string_view verb, const Key& key) -> std::optional<std::string> {
      if (verb == "create" && key.plural == "pods" && key.ns == "policed") return "a policy forbids it";
      return std::nullopt;
    };
  }

  json::value answer(const json::value& asked) {
    if (const auto target = text_at(asked, "/watch"); !target.empty()) return watch(target);
    if (find_at(asked, "/compact")) {
      store_.compact();
      return {{"status", 200}, {"body", json::object()}};
    }
    client::Request request;
    request.method = text_at(asked, "/method");
    request.target = text_at(asked, "/target");
    request.accept = text_at(asked, "/accept");
    if (const auto* body = find_at(asked, "/body")) request.body = json::serialize(*body);
    if (const auto type = text_at(asked, "/type"); !type.empty()) request.content_type = type;
    const auto reply = server_.serve(request, "podium");
    return {{"status", reply.status}, {"body", read_body(reply.body)}};
  }

 private:
  json::value watch(const std::string& target) {
    client::Request request;
    request.method = "GET";
    request.target = target;
    auto opened = server_.open(request);
    if (!opened.watch) return {{"status", opened.refusal.status}, {"body", read_body(opened.refusal.body)}};
    json::array events;
    opened.watch->deliver = [&events](const std::string& lines) {
      for (const auto line : split_without_empty(lines, "\n")) events.push_back(json::parse(line));
    };
    opened.watch->ended = [] {};
    server_.begin(opened);
    opened.watch->closed = true;
    return {{"status", 200}, {"events", std::move(events)}};
  }

  async::VirtualTime time_{Wall(1'700'000'000s), Steady(1'000'000s)};
  Agenda agenda_{time_};
  Store store_{time_};
  ApiServer server_{store_, agenda_, Dice(1)};
};

}  // namespace

int answer_requests() {
  Answers answers;
  for (std::string line; std::getline(std::cin, line);) {
    boost::system::error_code failure;
    const auto asked = json::parse(line, failure);
    if (failure) {
      fmt::print(stderr, "podium_simulate: --answer: not JSON: {}\n", line);
      return 1;
    }
    std::cout << json::serialize(answers.answer(asked)) << '\n' << std::flush;
  }
  return 0;
}

}  // namespace podium::simulate
