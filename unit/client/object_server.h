// ObjectServer: an in-memory API server behind a ScriptedTransport. Objects of any kind with UIDs and
// resourceVersions; create, get, update, merge patch (of the object or its status), JSON patch (test, and
// add of a field), delete with preconditions, paged lists, and watches. No validation, no defaulting.
// refuse() and on_request inject failures.
//
// Threads: requests from any; watches only in tests with one thread.
#pragma once

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "async/timer.h"
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
    const auto key = key_of(plural, text(object, "/metadata/namespace"), text(object, "/metadata/name"));
    store(key, std::move(object));
  }
  void erase(const std::string& plural, const std::string& ns, const std::string& name) {
    const std::lock_guard lock(mutex_);
    drop(key_of(plural, ns, name));
  }
  // The object; null where there is none.
  json_value find(const std::string& plural, const std::string& ns, const std::string& name) const {
    const std::lock_guard lock(mutex_);
    const auto it = objects_.find(key_of(plural, ns, name));
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
    boost::system::error_code none;
    const auto* found = object.find_pointer(pointer, none);
    return found && found->is_string() ? std::string(found->get_string()) : std::string();
  }

  std::shared_ptr<ScriptedTransport> transport = std::make_shared<ScriptedTransport>();

  // Serves watches of this resource, or of all: each is a streaming list followed by events.
  void serve_watches(const std::string& only = "") {
    transport->on_live = [this, only](const client::Request& request) -> std::unique_ptr<client::Stream> {
      auto feed = std::make_shared<LiveStream::Feed>();
      const auto plural = only.empty() ? parse(path_of(request)).key.plural : only;
      const bool questions = request.target.find("spec.dryRun%3Dtrue") != std::string::npos;
      const std::lock_guard lock(mutex_);
      if (request.target.find("sendInitialEvents=true") != std::string::npos) {
        std::string all;  // in one piece, as large lists arrive
        for (const auto& [key, object] : objects_) {
          if (key.plural == plural && (!questions || is_question(object))) all += event("ADDED", object);
        }
        feed->pieces.push_back(all + R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":")" +
                               std::to_string(version_) +
                               R"(","annotations":{"k8s.io/initial-events-end":"true"}}}})"
                               "\n");
      }
      watches_.push_back({plural, questions, feed});
      return std::make_unique<LiveStream>(feed);
    };
  }

 private:
  struct Key {
    std::string plural, ns, name;
    auto operator<=>(const Key&) const = default;
  };
  struct Path {
    Key key;  // without a name: the collection
    std::string subresource;
  };

  static Key key_of(const std::string& plural, const std::string& ns, const std::string& name) {
    return {plural, ns, name};
  }
  static std::string path_of(const client::Request& request) {
    return request.target.substr(0, request.target.find('?'));
  }

  // /api/v1/… or /apis/GROUP/VERSION/…, then namespaces/NS where it has one, PLURAL, NAME, SUBRESOURCE.
  static Path parse(const std::string& path) {
    std::vector<std::string> parts;
    for (std::size_t at = 1, end; at <= path.size(); at = end + 1) {
      end = std::min(path.find('/', at), path.size());
      parts.push_back(path.substr(at, end - at));
    }
    std::size_t at = parts[0] == "api" ? 2 : 3;
    const auto next = [&] { return at < parts.size() ? parts[at++] : std::string(); };
    Path out;
    if (at + 2 < parts.size() && parts[at] == "namespaces") {
      ++at;
      out.key.ns = next();
    }
    out.key.plural = next();
    out.key.name = next();
    out.subresource = next();
    return out;
  }

  static std::string query(const client::Request& request, const std::string& name) {
    const auto at = request.target.find(name + "=");
    if (at == std::string::npos) return "";
    const auto from = at + name.size() + 1;
    return request.target.substr(from, request.target.find('&', from) - from);
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
    const auto path = parse(path_of(request));
    if (request.method == "POST") return create(path, boost::json::parse(request.body));
    if (path.key.name.empty() && request.method == "DELETE") return remove_all(path.key, request);
    if (path.key.name.empty()) return list(path.key, request);
    const auto it = objects_.find(path.key);
    if (it == objects_.end()) return status(404, "NotFound");
    if (request.method == "GET") return client::Response{200, boost::json::serialize(it->second)};
    const auto body = boost::json::parse(request.body);
    if (request.method == "PUT") return update(path, it->second, body);
    if (request.method == "DELETE") return remove(path, it->second, body);
    if (request.content_type == "application/json-patch+json")
      return patch_by_steps(path, it->second, body.as_array());
    EXPECT_EQ(request.content_type, "application/merge-patch+json");
    return patch(path, it->second, body);
  }

  Reply create(Path path, json_value object) {
    path.key.name = text(object, "/metadata/name");
    if (objects_.contains(path.key)) return status(409, "AlreadyExists");
    store(path.key, std::move(object));
    return client::Response{201, boost::json::serialize(objects_.at(path.key))};
  }
  Reply update(const Path& path, const json_value& old, json_value object) {
    const auto expected = text(object, "/metadata/resourceVersion");
    if (!expected.empty() && expected != text(old, "/metadata/resourceVersion"))
      return status(409, "Conflict");
    store(path.key, std::move(object));
    return client::Response{200, boost::json::serialize(objects_.at(path.key))};
  }
  Reply patch_by_steps(const Path& path, json_value object, const boost::json::array& steps) {
    for (const auto& step : steps) {
      const auto pointer = text(step, "/path");
      boost::system::error_code none;
      const auto* found = object.find_pointer(pointer, none);
      if (text(step, "/op") == "test") {
        if ((found ? *found : json_value()) != step.at("value")) return status(422, "Invalid");
      } else {
        EXPECT_EQ(text(step, "/op"), "add");
        object.as_object()[pointer.substr(1)] = step.at("value");
      }
    }
    store(path.key, std::move(object));
    return client::Response{200, boost::json::serialize(objects_.at(path.key))};
  }
  Reply patch(const Path& path, json_value object, const json_value& body) {
    const auto uid = text(body, "/metadata/uid");
    if (!uid.empty() && uid != text(object, "/metadata/uid")) return status(409, "Conflict");
    const auto version = text(body, "/metadata/resourceVersion");
    if (!version.empty() && version != text(object, "/metadata/resourceVersion"))
      return status(409, "Conflict");
    if (path.subresource.empty()) {
      merge(object, body);
    } else {
      merge(object.as_object()[path.subresource], body.at(path.subresource));
    }
    store(path.key, std::move(object));
    return client::Response{200, boost::json::serialize(objects_.at(path.key))};
  }
  Reply remove(const Path& path, const json_value& object, const json_value& body) {
    const auto uid = text(body, "/preconditions/uid");
    if (!uid.empty() && uid != text(object, "/metadata/uid")) return status(409, "Conflict");
    const auto version = text(body, "/preconditions/resourceVersion");
    if (!version.empty() && version != text(object, "/metadata/resourceVersion"))
      return status(409, "Conflict");
    drop(path.key);
    return client::Response{200, "{}"};
  }
  // Deletes up to `limit` objects of a namespace that have all labels of the selector ("a=b,c=d").
  Reply remove_all(const Key& of, const client::Request& request) {
    EXPECT_FALSE(of.ns.empty()) << "there is no such request";
    const auto limit = query(request, "limit");
    const auto labels = decoded(query(request, "labelSelector"));
    boost::json::array items;
    std::vector<Key> gone;
    for (const auto& [key, object] : objects_) {
      if (key.plural != of.plural || key.ns != of.ns || !has_labels(object, labels)) continue;
      if (!is_selected(object, query(request, "fieldSelector"))) continue;
      if (!limit.empty() && items.size() == std::stoul(limit)) break;
      items.push_back(object);
      gone.push_back(key);
    }
    for (const auto& key : gone) drop(key);
    return client::Response{200, boost::json::serialize(json_value{{"items", items}})};
  }
  static std::string decoded(const std::string& text) {
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (text[at] != '%') {
        out += text[at];
      } else {
        out += static_cast<char>(std::stoi(text.substr(at + 1, 2), nullptr, 16));
        at += 2;
      }
    }
    return out;
  }
  static bool has_labels(const json_value& object, const std::string& selector) {
    boost::system::error_code none;
    const auto* labels = object.find_pointer("/metadata/labels", none);
    for (std::size_t at = 0, end; at < selector.size(); at = end + 1) {
      end = std::min(selector.find(',', at), selector.size());
      const auto one = selector.substr(at, end - at);
      const auto equals = one.find('=');
      const bool differs = one[equals - 1] == '!';
      const auto* value = labels ? labels->as_object().if_contains(one.substr(0, equals - differs)) : nullptr;
      if ((value && *value == json_value(one.substr(equals + 1))) == differs) return false;
    }
    return true;
  }
  // The continue token is the number of objects before the page.
  Reply list(const Key& of, const client::Request& request) const {
    const auto limit = query(request, "limit"), token = query(request, "continue");
    const std::size_t skip = token.empty() ? 0 : std::stoul(token),
                      most = limit.empty() ? SIZE_MAX : std::stoul(limit);
    const auto labels = decoded(query(request, "labelSelector"));
    boost::json::array items;
    std::size_t at = 0;
    bool more = false;
    for (const auto& [key, object] : objects_) {
      if (key.plural != of.plural || (!of.ns.empty() && key.ns != of.ns)) continue;
      if (!is_selected(object, query(request, "fieldSelector")) || !has_labels(object, labels)) continue;
      if (at++ < skip) continue;
      if (items.size() == most) {
        more = true;
        break;
      }
      items.push_back(object);
    }
    boost::json::object meta{{"resourceVersion", std::to_string(version_)}};
    if (more) meta["continue"] = std::to_string(skip + most);
    return client::Response{200, boost::json::serialize(json_value{{"metadata", meta}, {"items", items}})};
  }

  // Evaluates the only field selectors that podium uses.
  static bool is_selected(const json_value& object, const std::string& selector) {
    if (selector.find("spec.dryRun") == std::string::npos) return true;
    boost::system::error_code none;
    const auto* dry = object.find_pointer("/spec/dryRun", none);
    const bool is_question = dry && *dry == json_value(true);
    return is_question ==
           (selector.find("%21") == std::string::npos && selector.find('!') == std::string::npos);
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
      if (!watch.questions || is_question(object)) watch.feed->push(event(type, object));
    }
  }

  static bool is_question(const json_value& object) {
    boost::system::error_code none;
    const auto* dry_run = object.find_pointer("/spec/dryRun", none);
    return dry_run && dry_run->is_bool() && dry_run->get_bool();
  }

  static void merge(json_value& into, const json_value& patch) {
    if (!patch.is_object()) {
      into = patch;
      return;
    }
    if (!into.is_object()) into = boost::json::object();
    for (const auto& [key, value] : patch.get_object()) {
      if (value.is_null()) {
        into.get_object().erase(key);
      } else {
        merge(into.get_object()[key], value);
      }
    }
  }

  mutable std::mutex mutex_;
  std::map<Key, json_value> objects_;
  struct Watch {
    std::string plural;
    bool questions = false;  // the field selector spec.dryRun=true, the one that is used with these
    std::shared_ptr<LiveStream::Feed> feed;
  };
  std::vector<Watch> watches_;
  std::uint64_t version_ = 0;
  int refusals_ = 0;
  Reply refusal_ = client::Response{503, "{}"};
};

}  // namespace podium::unit
