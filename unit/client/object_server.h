// ObjectServer: an in-memory API server behind a ScriptedTransport. Objects of any kind with UIDs and
// resourceVersions; create, get, update, merge patch (of the object or its status), JSON patch (test, and
// add of a field), delete with preconditions, paged lists, and watches. No validation, no defaulting.
// refuse() and on_request inject failures.
//
// Threads: requests from any; watches only in tests with one thread.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "api/text/json_view.h"
#include "async/timer.h"
#include "simulate/protocol/patch.h"
#include "simulate/protocol/route.h"
#include "unit/client/doubles.h"

namespace podium::unit {

// A watch stream that returns the pieces pushed to it, until it is closed.
class LiveStream final : public client::Stream {
 public:
  struct Feed {
    std::deque<std::string> pieces;
    async::Timer* waiting = nullptr;
    bool ended = false;
    void push(std::string piece) {
      pieces.push_back(std::move(piece));
      if (waiting) waiting->cancel();
    }
  };
  explicit LiveStream(std::shared_ptr<Feed> feed) : feed_(std::move(feed)) {}
  ~LiveStream() override { feed_->ended = true; }
  int status() const override { return 200; }
  void close() override {}
  client::Task<Result<std::string>> read(std::chrono::milliseconds silence) override {
    if (feed_->pieces.empty()) {
      async::Timer timer(co_await boost::asio::this_coro::executor, silence);
      feed_->waiting = &timer;
      boost::system::error_code failure;
      co_await timer.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, failure));
      feed_->waiting = nullptr;
      if (feed_->pieces.empty())
        co_return fail(failure ? Error::Kind::cancelled : Error::Kind::timeout, "silent");
    }
    auto piece = std::move(feed_->pieces.front());
    feed_->pieces.pop_front();
    co_return Result<std::string>(std::move(piece));
  }

 private:
  const std::shared_ptr<Feed> feed_;
};

class ObjectServer {
 public:
  using json_value = boost::json::value;
  using Reply = Result<client::Response>;

  ObjectServer() {
    transport->on_send = [this](const client::Request& request) { return serve(request); };
  }

  // The next requests get this reply and have no effect.
  void refuse(int requests, Reply with) {
    const std::lock_guard lock(mutex_);
    refusals_ = requests;
    refusal_ = std::move(with);
  }
  // Called before each request; a reply replaces the server's own.
  std::function<std::optional<Reply>(const client::Request&)> on_request;

  // Stores an object, as another client would, under its own name and namespace.
  void put(const std::string& plural, json_value object) {
    const std::lock_guard lock(mutex_);
    const Key key{plural, text(object, "/metadata/namespace"), text(object, "/metadata/name")};
    store(key, std::move(object));
  }
  void erase(const std::string& plural, const std::string& ns, const std::string& name) {
    const std::lock_guard lock(mutex_);
    drop({plural, ns, name});
  }
  // The object; null where there is none.
  json_value find(const std::string& plural, const std::string& ns, const std::string& name) const {
    const std::lock_guard lock(mutex_);
    const auto it = objects_.find({plural, ns, name});
    return it == objects_.end() ? json_value() : it->second;
  }
  std::vector<json_value> all(const std::string& plural) const {  // by namespace and name
    const std::lock_guard lock(mutex_);
    std::vector<json_value> out;
    for (const auto& [key, object] : objects_) {
      if (key.plural == plural) out.push_back(object);
    }
    return out;
  }
  // "POST /apis/…", without queries; of one method where given.
  std::vector<std::string> requests(const std::string& method = "") const {
    std::vector<std::string> out;
    for (const auto& request : transport->requests()) {
      if (method.empty() || request.method == method) out.push_back(request.method + " " + path_of(request));
    }
    return out;
  }
  static std::string text(const json_value& object, std::string_view pointer) {
    return api::text_at(object, pointer);
  }

  std::shared_ptr<ScriptedTransport> transport = std::make_shared<ScriptedTransport>();

  // Serves watches of this resource, or of all: each is a streaming list followed by events.
  void serve_watches(const std::string& only = "") {
    transport->on_live = [this, only](const client::Request& request) -> std::unique_ptr<client::Stream> {
      auto feed = std::make_shared<LiveStream::Feed>();
      const auto route = route_of(request);
      const auto plural = only.empty() ? route.plural : only;
      const auto selector = selector_of(route);
      const std::lock_guard lock(mutex_);
      if (route.parameter("sendInitialEvents") == "true") {
        std::string all;  // in one piece, as large lists arrive
        for (const auto& [key, object] : objects_) {
          if (key.plural == plural && selector.matches(object)) all += event("ADDED", object);
        }
        feed->pieces.push_back(all + R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":")" +
                               std::to_string(version_) +
                               R"(","annotations":{"k8s.io/initial-events-end":"true"}}}})"
                               "\n");
      }
      watches_.push_back({plural, selector, feed});
      return std::make_unique<LiveStream>(feed);
    };
  }

 private:
  using Key = simulate::Key;
  using Route = simulate::Route;

  static std::string path_of(const client::Request& request) {
    return request.target.substr(0, request.target.find('?'));
  }
  static Route route_of(const client::Request& request) {
    auto route = simulate::parse_route(request.target);
    EXPECT_TRUE(route) << request.target;
    return route.value_or(Route());
  }
  static simulate::RouteSelector selector_of(const Route& route) {
    auto selector = simulate::RouteSelector::of(route);
    EXPECT_TRUE(selector) << "unknown selector";
    return selector.value_or(simulate::RouteSelector());
  }
  static Reply status(int code, const std::string& reason) {
    return client::Response{
        code, boost::json::serialize(json_value{{"kind", "Status"}, {"code", code}, {"reason", reason}})};
  }
  static std::string event(const std::string& type, const json_value& object) {
    return boost::json::serialize(json_value{{"type", type}, {"object", object}}) + "\n";
  }

  Reply serve(const client::Request& request) {
    if (on_request) {
      if (auto reply = on_request(request)) return std::move(*reply);
    }
    const std::lock_guard lock(mutex_);
    if (refusals_ > 0) {
      --refusals_;
      return refusal_;
    }
    const auto route = route_of(request);
    if (request.method == "POST") return create(route.key(), boost::json::parse(request.body));
    if (route.name.empty() && request.method == "DELETE") return remove_all(route);
    if (route.name.empty()) return list(route);
    const auto it = objects_.find(route.key());
    if (it == objects_.end()) return status(404, "NotFound");
    if (request.method == "GET") return client::Response{200, boost::json::serialize(it->second)};
    const auto body = boost::json::parse(request.body);
    const bool deletes = request.method == "DELETE";
    if (is_of_another(it->second, body, deletes ? "/preconditions" : "/metadata"))
      return status(409, "Conflict");
    if (deletes) {
      drop(route.key());
      return client::Response{200, "{}"};
    }
    if (request.method == "PUT") return stored(200, route.key(), body);
    if (request.content_type == "application/json-patch+json") {
      auto patched = it->second;
      if (!simulate::json_patch(patched, body)) return status(422, "Invalid");
      return stored(200, route.key(), std::move(patched));
    }
    EXPECT_EQ(request.content_type, "application/merge-patch+json");
    return patch(route, it->second, body);
  }
  Reply stored(int code, const Key& key, json_value object) {
    store(key, std::move(object));
    return client::Response{code, boost::json::serialize(objects_.at(key))};
  }
  // True if the body names, below this pointer, a UID or a resourceVersion that the object does not have.
  static bool is_of_another(const json_value& object, const json_value& body, const std::string& pointer) {
    return std::ranges::any_of(std::array{"/uid", "/resourceVersion"}, [&](const std::string& field) {
      const auto wanted = text(body, pointer + field);
      return !wanted.empty() && wanted != text(object, "/metadata" + field);
    });
  }

  Reply create(Key key, json_value object) {
    key.name = text(object, "/metadata/name");
    if (objects_.contains(key)) return status(409, "AlreadyExists");
    return stored(201, key, std::move(object));
  }
  Reply patch(const Route& route, json_value object, const json_value& body) {
    if (route.subresource.empty()) {
      simulate::merge_patch(object, body);
    } else {
      simulate::merge_patch(object.as_object()[route.subresource], body.at(route.subresource));
    }
    return stored(200, route.key(), std::move(object));
  }
  // Deletes up to `limit` of the selected objects of a namespace.
  Reply remove_all(const Route& of) {
    EXPECT_FALSE(of.ns.empty()) << "there is no such request";
    auto [items, _] = page(of, 0);
    for (const auto& item : items) drop({of.plural, of.ns, text(item, "/metadata/name")});
    return client::Response{200, boost::json::serialize(json_value{{"items", std::move(items)}})};
  }
  // The continue token is the number of objects before the page.
  Reply list(const Route& of) const {
    const auto token = of.parameter("continue");
    const std::size_t skip = token.empty() ? 0 : std::stoul(token);
    auto [items, has_more] = page(of, skip);
    boost::json::object meta{{"resourceVersion", std::to_string(version_)}};
    if (has_more) meta["continue"] = std::to_string(skip + items.size());
    return client::Response{
        200, boost::json::serialize(json_value{{"metadata", meta}, {"items", std::move(items)}})};
  }
  // The first `limit` of the selected objects after `skip`; true: there are more.
  std::pair<boost::json::array, bool> page(const Route& of, std::size_t skip) const {
    const auto selector = selector_of(of);
    const auto limit = of.parameter("limit");
    const auto most = limit.empty() ? SIZE_MAX : std::stoul(limit);
    boost::json::array items;
    for (const auto& [key, object] : objects_) {
      if (key.plural != of.plural || (!of.ns.empty() && key.ns != of.ns)) continue;
      if (!selector.matches(object) || (skip > 0 && skip--)) continue;
      if (items.size() == most) return {std::move(items), true};
      items.push_back(object);
    }
    return {std::move(items), false};
  }

  void store(const Key& key, json_value object) {
    const bool fresh = !objects_.contains(key);
    auto& meta = object.as_object()["metadata"];
    if (!meta.is_object()) meta = boost::json::object();
    auto& fields = meta.get_object();
    if (fresh && !fields.contains("uid")) fields["uid"] = "uid-" + std::to_string(version_ + 1);
    if (!fields.contains("generation")) fields["generation"] = 1;
    fields["resourceVersion"] = std::to_string(++version_);
    auto& there = objects_[key] = std::move(object);
    deliver(key.plural, fresh ? "ADDED" : "MODIFIED", there);
  }
  void drop(const Key& key) {
    const auto it = objects_.find(key);
    if (it == objects_.end()) return;
    auto last = std::move(it->second);
    objects_.erase(it);
    last.at("metadata").as_object()["resourceVersion"] = std::to_string(++version_);
    deliver(key.plural, "DELETED", last);
  }
  void deliver(const std::string& plural, const std::string& type, const json_value& object) {
    for (const auto& watch : watches_) {
      if (watch.plural != plural || watch.feed->ended) continue;
      if (watch.selector.matches(object)) watch.feed->push(event(type, object));
    }
  }

  mutable std::mutex mutex_;
  std::map<Key, json_value> objects_;
  struct Watch {
    std::string plural;
    simulate::RouteSelector selector;
    std::shared_ptr<LiveStream::Feed> feed;
  };
  std::vector<Watch> watches_;
  std::uint64_t version_ = 0;
  int refusals_ = 0;
  Reply refusal_ = client::Response{503, "{}"};
};

}  // namespace podium::unit
