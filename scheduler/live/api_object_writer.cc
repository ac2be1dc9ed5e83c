#include "scheduler/live/api_object_writer.h"

#include <boost/asio/post.hpp>
#include <optional>
#include <tuple>
#include <utility>

#include "api/text/json_view.h"
#include "async/nap.h"
#include "base/backoff.h"
#include "base/random.h"
#include "client/request_errors.h"
#include "log/log.h"
#include "scheduler/live/object_patch.h"
#include "scheduler/live/settling.h"

namespace podium::live {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;

constexpr Backoff kLookPauses{std::chrono::milliseconds(100), std::chrono::seconds(5)};

// The API server's own message, or what happened to the request.
std::string words_of(const Error& error) { return client::is_answer(error) ? error.message : error.text(); }

cycle::WriteOutcome written(json::value object) { return {.object = std::move(object)}; }

cycle::WriteOutcome unwritten(const Error& error, bool conflict = false) {
  return {.error = words_of(error), .request = error.request, .conflict = conflict};
}

// The write ended with `error`, and the read of its result with `read`.
cycle::WriteOutcome unread(const Error& error, const Error& read) {
  return {.error = words_of(error) + "; the write may have taken effect: " + words_of(read),
          .request = read.request};
}

// A name as the API server makes it from generateName. Source: apiserver/pkg/storage/names.
std::string name_from(std::string_view base, Random& random) {
  constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  constexpr std::size_t kMostOfBase = 58;
  std::string name(base.substr(0, kMostOfBase));
  for (int i = 0; i < 5; ++i) name += kLetters[random.next() % kLetters.size()];
  return name;
}

// `given` has no name. This names it, so that the object can be read back if the reply of the create is lost.
json::value named(json::value given, const std::string& name) {
  given.as_object()["metadata"].as_object()["name"] = name;
  return given;
}

constexpr int kNames = 5;  // to try: other objects may have them

client::Task<cycle::WriteOutcome> create_object(client::Api& api, framework::ObjectWrite write) {
  const client::Resource resource(write.group, write.version, write.resource, !write.namespace_.empty());
  const auto base = api::text_at(write.patch, "/metadata/generateName");
  Error error;
  if (base.empty()) {  // of a plugin of another program
    error.message = "the object to create has no metadata.generateName";
    co_return unwritten(error);
  }
  for (int i = 0; i < kNames; ++i) {
    const auto name = name_from(base, api.random());
    const auto object = named(write.patch, name);
    auto created = co_await api.create(resource, write.namespace_, object);
    if (created) co_return written(std::move(*created));
    error = created.error();
    if (error.maybe_applied) {
      auto live = co_await api.get(resource, write.namespace_, name);
      if (live && has(*live, write.patch, Verb::merge)) co_return written(std::move(*live));
    }
    if (!client::is_conflict(error)) break;
  }
  co_return unwritten(error);
}

// An object that is already gone is the wanted result.
client::Task<cycle::WriteOutcome> remove_object(client::Api& api, framework::ObjectWrite write) {
  const client::Resource resource(write.group, write.version, write.resource, !write.namespace_.empty());
  if (!write.patch.is_null()) {
    auto patched = co_await api.patch(resource, write.namespace_, write.name,
                                      client::PatchType::strategic_merge, with_preconditions(write));
    if (!patched && client::object_is_gone(patched.error())) co_return written(json::object());
    if (!patched) co_return unwritten(patched.error());
  }
  client::DeleteOptions options;
  options.uid = write.uid;
  auto removed = co_await api.remove(resource, write.namespace_, write.name, options);
  if (removed) co_return written(std::move(*removed));
  if (client::object_is_gone(removed.error())) co_return written(json::object());
  co_return unwritten(removed.error());
}

client::PatchType type_of(Verb verb) {
  return verb == Verb::strategic ? client::PatchType::strategic_merge : client::PatchType::merge;
}

Shown shown_by(const Result<json::value>& live, const framework::ObjectWrite& write) {
  if (!live) {
    const auto& error = live.error();
    if (client::object_is_gone(error)) return Shown::gone;
    return client::is_forbidden(error) || client::is_cancelled(error) ? Shown::barred : Shown::unreadable;
  }
  if (!write.uid.empty() && api::text_at(*live, "/metadata/uid") != write.uid) return Shown::replaced;
  if (has(*live, write.patch, write.verb)) return Shown::applied;
  const bool changed = api::text_at(*live, "/metadata/resourceVersion") != write.resource_version;
  return changed ? Shown::changed : Shown::same;
}

// Follows a patch of one resourceVersion to its end (settling.h). Until then the devices of a claim count as
// in flight.
client::Task<cycle::WriteOutcome> settle(client::Api& api, framework::ObjectWrite write, Error error) {
  const client::Resource resource(write.group, write.version, write.resource, !write.namespace_.empty());
  Tries tries;
  for (unsigned looks = 1;; ++looks) {
    const auto ended = tries.ended(error, write.verb == Verb::strategic, api.clock().now());
    if (!ended) co_return unwritten(error);
    auto live = co_await api.get(resource, write.namespace_, write.name);
    switch (next_of(*ended, shown_by(live, write))) {
      case Next::written:
        co_return written(std::move(*live));
      case Next::failed:
        co_return unwritten(error);
      case Next::conflict:
        co_return unwritten(error, true);
      case Next::unread:
        co_return unread(error, live.error());
      case Next::as_merge:
        write.patch = as_merge(&*live, write.patch);
        write.verb = Verb::merge;
        break;
      case Next::again:
        break;
    }
    co_await async::nap(kLookPauses.after(looks));
    auto patched = co_await api.patch(resource, write.namespace_, write.name, type_of(write.verb),
                                      with_preconditions(write), write.subresource);
    if (patched) co_return written(std::move(*patched));
    error = patched.error();
  }
}

}  // namespace

client::Task<cycle::WriteOutcome> write_object(client::Api& api, framework::ObjectWrite write) {
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
    if (live) co_return written(std::move(*live));
    co_return unwritten(live.error());
  }
  put_time(write, api.clock().wall());
  auto patched = co_await api.patch(resource, write.namespace_, write.name, type_of(write.verb),
                                    with_preconditions(write), write.subresource);
  if (patched) co_return written(std::move(*patched));
  const auto error = patched.error();
  if (write.verb == Verb::strategic && !write.resource_version.empty()) {
    auto outcome = co_await settle(api, std::move(write), error);
    co_return outcome;
  }
  if (error.maybe_applied) {
    auto live = co_await api.get(resource, write.namespace_, write.name);
    if (live && has(*live, write.patch, write.verb)) co_return written(std::move(*live));
    if (!live) co_return unread(error, live.error());
  }
  co_return unwritten(error, client::is_conflict(error));
}

ApiObjectWriter::ApiObjectWriter(client::Api& api, async::Gate& gate, asio::any_io_executor io,
                                 asio::any_io_executor strand, Ended ended)
    : api_(api), gate_(gate), io_(std::move(io)), strand_(std::move(strand)), ended_(std::move(ended)) {}

void ApiObjectWriter::write(std::string pod_uid, framework::ObjectWrite write) {
  if (async::spawn(gate_, io_, "object write", run(this, pod_uid, std::move(write)))) return;
  post_outcome(std::move(pod_uid), {.error = cycle::kStopping});
}

client::Task<void> ApiObjectWriter::run(ApiObjectWriter* self, std::string pod_uid,
                                        framework::ObjectWrite write) {
  const std::string object = write.resource + " " + write.name;
  auto outcome = co_await write_object(self->api_, std::move(write));
  const auto& [verb, resource] = std::tie(outcome.request.verb, outcome.request.resource);
  if (!outcome.object && self->log_.allows(verb + " " + resource, self->api_.clock().now())) {
    log::warn("object not written verb={} resource={} object={:?} error={:?}", verb, resource, object,
              outcome.error);
  }
  self->post_outcome(std::move(pod_uid), std::move(outcome));
}

void ApiObjectWriter::post_outcome(std::string pod_uid, cycle::WriteOutcome outcome) {
  asio::post(strand_, [this, uid = std::move(pod_uid), outcome = std::move(outcome)]() mutable {
    ended_(uid, std::move(outcome));
  });
}

}  // namespace podium::live
