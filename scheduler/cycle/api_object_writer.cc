#include "scheduler/cycle/api_object_writer.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

#include "async/nap.h"
#include "base/time.h"
#include "client/request_info.h"

namespace podium::cycle {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;

using Verb = framework::ObjectWrite::Verb;

// The patch with its preconditions: the API server answers 409 for another UID or resourceVersion.
json::value body_of(const framework::ObjectWrite& write) {
  json::value body = write.patch;
  if (!body.is_object()) body = json::object();
  auto& metadata = body.as_object()["metadata"];
  if (!metadata.is_object()) metadata = json::object();
  if (!write.uid.empty()) metadata.as_object()["uid"] = write.uid;
  if (!write.resource_version.empty()) metadata.as_object()["resourceVersion"] = write.resource_version;
  return body;
}

// Whether the object already has everything in the patch. A strategic patch adds to lists.
bool has(const json::value& object, const json::value& patch, Verb verb) {
  if (const auto* items = patch.if_array(); items && verb == Verb::strategic && object.is_array()) {
    return std::ranges::all_of(*items, [&](const json::value& wanted) {
      const auto is_it = [&](const json::value& item) { return has(item, wanted, verb); };
      return std::ranges::any_of(object.get_array(), is_it);
    });
  }
  if (!patch.is_object()) return object == patch;
  for (const auto& [key, wanted] : patch.as_object()) {
    const auto* field = object.is_object() ? object.as_object().if_contains(key) : nullptr;
    if (wanted.is_null() ? field != nullptr : !field || !has(*field, wanted, verb)) return false;
  }
  return true;
}

void put_time(json::value& patch, const std::string& at, Wall now) {
  boost::system::error_code none;
  auto* field = at.empty() ? nullptr : patch.find_pointer(at, none);
  if (field) *field = format_time(now);
}

bool has_version(const json::value& object, const std::string& version) {
  boost::system::error_code none;
  const auto* field = object.find_pointer("/metadata/resourceVersion", none);
  return field && field->is_string() && field->get_string() == version;
}

// The merge patch that does with this object what the strategic one does: lists get what is new.
json::value as_merge(const json::value* live, const json::value& patch) {
  if (const auto* items = patch.if_array()) {
    json::array list = live && live->is_array() ? live->get_array() : json::array();
    for (const auto& item : *items) {
      if (!has(list, json::array{item}, Verb::strategic)) list.push_back(item);
    }
    return list;
  }
  if (!patch.is_object()) return patch;
  json::object out;
  for (const auto& [key, wanted] : patch.as_object()) {
    if (key.starts_with("$")) continue;
    out[key] = as_merge(live && live->is_object() ? live->get_object().if_contains(key) : nullptr, wanted);
  }
  return out;
}

// The API server's message, without the request that the client prepends.
std::string words_of(const Error& error) {
  const auto end = error.kind == Error::Kind::status ? error.message.find(": ") : std::string::npos;
  return end == std::string::npos ? error.message : error.message.substr(end + 2);
}

// As the API server's, which makes one of generateName. Source: apiserver/pkg/storage/names.
std::string name_from(std::string_view base, Random& random) {
  constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  constexpr std::size_t kMostOfBase = 58;
  std::string name(base.substr(0, kMostOfBase));
  for (int i = 0; i < 5; ++i) name += kLetters[random.next() % kLetters.size()];
  return name;
}

// `given`: without a name. It is named here, so that a create whose reply is lost can be looked into.
json::value named(const json::value& given, Random& random) {
  auto object = given;
  auto& metadata = object.as_object()["metadata"].as_object();
  metadata["name"] = name_from(metadata.at("generateName").as_string(), random);
  return object;
}

constexpr int kNames = 5;  // that others may have taken

client::Task<WriteOutcome> create_object(client::Api& api, framework::ObjectWrite write) {
  const client::Resource resource(write.group, write.version, write.resource, !write.namespace_.empty());
  Error error;
  for (int i = 0; i < kNames; ++i) {
    const auto object = named(write.patch, api.random());
    const std::string name(object.at("metadata").at("name").as_string());
    auto created = co_await api.create(resource, write.namespace_, object);
    if (created) co_return WriteOutcome{std::move(*created), {}, {}};
    error = created.error();
    if (error.maybe_applied) {
      auto live = co_await api.get(resource, write.namespace_, name);
      if (live && has(*live, write.patch, Verb::merge)) co_return WriteOutcome{std::move(*live), {}, {}};
    }
    if (error.code != 409) break;
  }
  co_return WriteOutcome{std::nullopt, words_of(error), client::request_fields(error)};
}

// An object that is gone already is what was wanted.
client::Task<WriteOutcome> remove_object(client::Api& api, framework::ObjectWrite write) {
  const client::Resource resource(write.group, write.version, write.resource, !write.namespace_.empty());
  if (!write.patch.is_null()) {
    auto patched = co_await api.patch(resource, write.namespace_, write.name,
                                      client::PatchType::strategic_merge, body_of(write));
    if (!patched && client::object_is_gone(patched.error()))
      co_return WriteOutcome{json::value(json::object()), {}, {}};
    if (!patched) {
      co_return WriteOutcome{std::nullopt, words_of(patched.error()),
                             client::request_fields(patched.error())};
    }
  }
  client::DeleteOptions options;
  options.uid = write.uid;
  auto removed = co_await api.remove(resource, write.namespace_, write.name, options);
  if (removed) co_return WriteOutcome{std::move(*removed), {}, {}};
  if (client::object_is_gone(removed.error())) co_return WriteOutcome{json::value(json::object()), {}, {}};
  co_return WriteOutcome{std::nullopt, words_of(removed.error()), client::request_fields(removed.error())};
}

}  // namespace

client::Task<WriteOutcome> write_object(client::Api& api, framework::ObjectWrite write) {
  const client::Resource resource(write.group, write.version, write.resource, !write.namespace_.empty());
  if (write.delay.count() > 0) co_await async::nap(write.delay);
  if (write.verb == Verb::create) {
    auto created = co_await create_object(api, std::move(write));
    co_return created;
  }
  if (write.verb == Verb::remove) {
    auto removed = co_await remove_object(api, std::move(write));
    co_return removed;
  }
  if (write.verb == Verb::read) {
    auto live = co_await api.get(resource, write.namespace_, write.name);
    if (live) co_return WriteOutcome{std::move(*live), {}, {}};
    co_return WriteOutcome{std::nullopt, words_of(live.error()), client::request_fields(live.error())};
  }
  put_time(write.patch, write.time_at, api.clock().wall());
  const auto type =
      write.verb == Verb::strategic ? client::PatchType::strategic_merge : client::PatchType::merge;
  auto patched =
      co_await api.patch(resource, write.namespace_, write.name, type, body_of(write), write.subresource);
  if (patched) co_return WriteOutcome{std::move(*patched), {}, {}};
  const auto error = patched.error();
  // To a strategic merge the API server sorts the members of all objects, also of parameters that it keeps as
  // they came. Where they came in another order, it takes that for a change of what must not change.
  if (error.code == 422 && write.verb == Verb::strategic && !write.resource_version.empty()) {
    auto live = co_await api.get(resource, write.namespace_, write.name);
    if (!live || !has_version(*live, write.resource_version)) {
      co_return WriteOutcome{std::nullopt, words_of(error), client::request_fields(error), live.has_value()};
    }
    write.patch = as_merge(&*live, write.patch);
    write.verb = Verb::merge;
    write.time_at.clear();
    write.delay = {};
    auto outcome = co_await write_object(api, std::move(write));
    co_return outcome;
  }
  if (error.maybe_applied) {
    auto live = co_await api.get(resource, write.namespace_, write.name);
    if (live && has(*live, write.patch, write.verb)) co_return WriteOutcome{std::move(*live), {}, {}};
    if (!live) {
      co_return WriteOutcome{std::nullopt,
                             words_of(error) + "; whether it was made: " + words_of(live.error()),
                             client::request_fields(live.error())};
    }
  }
  co_return WriteOutcome{std::nullopt, words_of(error), client::request_fields(error), error.code == 409};
}

ApiObjectWriter::ApiObjectWriter(client::Api& api, async::Gate& gate, asio::any_io_executor io,
                                 asio::any_io_executor strand, Ended ended)
    : api_(api), gate_(gate), io_(std::move(io)), strand_(std::move(strand)), ended_(std::move(ended)) {}

void ApiObjectWriter::write(std::string pod_uid, framework::ObjectWrite write) {
  if (async::spawn(gate_, io_, "object write", run(this, pod_uid, std::move(write)))) return;
  post_outcome(std::move(pod_uid), {std::nullopt, "the scheduler is stopping", {}});
}

client::Task<void> ApiObjectWriter::run(ApiObjectWriter* self, std::string pod_uid,
                                        framework::ObjectWrite write) {
  const std::string object = write.resource + " " + write.name;
  auto outcome = co_await write_object(self->api_, std::move(write));
  if (!outcome.object && self->log_.allows(outcome.request, self->api_.clock().now())) {
    spdlog::warn("object not written {}object={:?} error={:?}", outcome.request, object, outcome.error);
  }
  self->post_outcome(std::move(pod_uid), std::move(outcome));
}

void ApiObjectWriter::post_outcome(std::string pod_uid, WriteOutcome outcome) {
  asio::post(strand_, [this, uid = std::move(pod_uid), outcome = std::move(outcome)]() mutable {
    ended_(uid, std::move(outcome));
  });
}

}  // namespace podium::cycle
