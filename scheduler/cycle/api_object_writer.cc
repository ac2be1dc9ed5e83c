#include "scheduler/cycle/api_object_writer.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <optional>
#include <utility>

#include "api/json_view.h"
#include "async/nap.h"
#include "client/request_info.h"
#include "scheduler/cycle/doubt.h"
#include "scheduler/cycle/object_patch.h"

namespace podium::cycle {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;

constexpr std::chrono::milliseconds kFirstLook{100}, kLastLook{5'000};

// The API server's message, without the request that the client prepends.
std::string words_of(const Error& error) {
  const auto end = error.kind == Error::Kind::status ? error.message.find(": ") : std::string::npos;
  return end == std::string::npos ? error.message : error.message.substr(end + 2);
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
json::value named(const json::value& given, Random& random) {
  auto object = given;
  auto& metadata = object.as_object()["metadata"].as_object();
  metadata["name"] = name_from(metadata.at("generateName").as_string(), random);
  return object;
}

constexpr int kNames = 5;  // to try: other objects may have them

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

// An object that is already gone is the wanted result.
client::Task<WriteOutcome> remove_object(client::Api& api, framework::ObjectWrite write) {
  const client::Resource resource(write.group, write.version, write.resource, !write.namespace_.empty());
  if (!write.patch.is_null()) {
    auto patched = co_await api.patch(resource, write.namespace_, write.name,
                                      client::PatchType::strategic_merge, with_preconditions(write));
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

WriteOutcome unwritten(const Error& error, bool conflict) {
  return {std::nullopt, words_of(error), client::request_fields(error), conflict};
}

client::PatchType type_of(Verb verb) {
  return verb == Verb::strategic ? client::PatchType::strategic_merge : client::PatchType::merge;
}

// In a strategic merge the API server sorts the members of all objects, even of opaque parameters. If these
// were stored in another order, the server takes the new order for a change of an immutable field.
bool is_for_merge(const framework::ObjectWrite& write, const Error& error) {
  return write.verb == Verb::strategic && error.code == 422;
}

// Follows a patch of one resourceVersion to its end. It takes effect at most once: a request in flight has no
// effect after the object has changed. So a patch in doubt is sent again until the object shows the result,
// or until a refusal counts (kLongestDoubt) while the object is unchanged. A refusal may be the reply to a
// proxy's second try, so the object is read then as well. Until then the devices of a claim stay in flight.
client::Task<WriteOutcome> settle(client::Api& api, framework::ObjectWrite write, Error error) {
  const client::Resource resource(write.group, write.version, write.resource, !write.namespace_.empty());
  std::optional<Steady> doubted;  // end of the last try that left the result in doubt
  bool lost = false;              // the previous try had no right to write
  for (auto pause = kFirstLook;; pause = std::min(pause * 2, kLastLook)) {
    const bool sent = error.maybe_applied || error.kind == Error::Kind::status;
    if (leaves_doubt(error)) doubted = api.clock().now();
    if (!sent && !doubted) co_return unwritten(error, false);
    if (error.kind == Error::Kind::cancelled && (lost || !client::is_not_leader(error)))
      co_return unwritten(error, false);
    lost = client::is_not_leader(error);
    auto live = co_await api.get(resource, write.namespace_, write.name);
    if (live) {
      const bool is_it = api::text_at(*live, "/metadata/uid") == write.uid || write.uid.empty();
      if (is_it && has(*live, write.patch, write.verb)) co_return WriteOutcome{std::move(*live), {}, {}};
      const bool changed = api::text_at(*live, "/metadata/resourceVersion") != write.resource_version;
      const bool other_form = is_it && is_for_merge(write, error);
      const bool conflict = error.code == 409 || doubted || other_form;
      if (!is_it || changed) co_return unwritten(error, conflict);
      const bool refused = error.kind == Error::Kind::status && !leaves_doubt(error);
      const bool counts = !doubted || (refused && api.clock().now() - *doubted >= kLongestDoubt);
      if (counts && !other_form) co_return unwritten(error, error.code == 409);
      if (other_form) {
        write.patch = as_merge(&*live, write.patch);
        write.verb = Verb::merge;
      }
    } else if (client::object_is_gone(live.error())) {
      co_return unwritten(error, error.code == 409);
    } else if (live.error().code == 403 || live.error().kind == Error::Kind::cancelled) {
      co_return WriteOutcome{std::nullopt,
                             words_of(error) + "; whether it was made: " + words_of(live.error()),
                             client::request_fields(live.error())};
    }
    co_await async::nap(pause);
    auto patched = co_await api.patch(resource, write.namespace_, write.name, type_of(write.verb),
                                      with_preconditions(write), write.subresource);
    if (patched) co_return WriteOutcome{std::move(*patched), {}, {}};
    error = patched.error();
  }
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
  put_time(write, api.clock().wall());
  auto patched = co_await api.patch(resource, write.namespace_, write.name, type_of(write.verb),
                                    with_preconditions(write), write.subresource);
  if (patched) co_return WriteOutcome{std::move(*patched), {}, {}};
  const auto error = patched.error();
  if (write.verb == Verb::strategic && !write.resource_version.empty()) {
    auto outcome = co_await settle(api, std::move(write), error);
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
