#include "client/api.h"

#include <fmt/format.h>

#include <boost/json/serialize.hpp>
#include <limits>

#include "api/text/parse_json.h"
#include "async/nap.h"
#include "base/clock.h"
#include "base/random.h"
#include "client/auth/url.h"
#include "client/decode/list_page.h"
#include "client/decode/watch_lines.h"
#include "client/request_info.h"
#include "log/log.h"

namespace podium::client {

namespace json = boost::json;

namespace {

constexpr std::size_t kWarningsKept = 256;

Error error_of(const Response& response) {
  Error error = status_error(response.body, response.status);
  error.status.retry_after = std::max(error.status.retry_after, response.retry_after);
  return error;
}

std::string list_query(const ListOptions& options, const std::string& token) {
  std::string query;
  auto add = [&](const char* name, const std::string& value) {
    if (!value.empty())
      query += (query.empty() ? "?" : "&") + std::string(name) + "=" + percent_encode(value);
  };
  if (options.limit > 0) add("limit", std::to_string(options.limit));
  add("labelSelector", options.label_selector);
  add("fieldSelector", options.field_selector);
  add("continue", token);
  return query;
}

json::value delete_body(const DeleteOptions& options) {
  json::object body{{"apiVersion", "v1"}, {"kind", "DeleteOptions"}};
  json::object preconditions;
  if (!options.uid.empty()) preconditions["uid"] = options.uid;
  if (!options.resource_version.empty()) preconditions["resourceVersion"] = options.resource_version;
  if (!preconditions.empty()) body["preconditions"] = std::move(preconditions);
  if (!options.propagation_policy.empty()) body["propagationPolicy"] = options.propagation_policy;
  return body;
}

Request request_of(std::string method, std::string target, std::string body = {}) {
  Request request;
  request.method = std::move(method);
  request.target = std::move(target);
  request.body = std::move(body);
  return request;
}

Error of_request(Error error, std::string_view method, std::string_view target) {
  error.request = request_info(method, target);
  return error;
}

Error undecodable(Error error, std::string_view method, std::string_view target) {
  error.kind = Error::Kind::internal;
  return of_request(std::move(error), method, target);
}

std::string content_type_of(PatchType type) {
  switch (type) {
    case PatchType::merge:
      return "application/merge-patch+json";
    case PatchType::strategic_merge:
      return "application/strategic-merge-patch+json";
    case PatchType::apply:
      return "application/apply-patch+yaml";
  }
  return {};
}

}  // namespace

const char* const kBriefReply =
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1, application/json";

const char* const kBriefListReply =
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1, application/json";

struct Api::Page {
  std::vector<json::value> items;
  std::string token, resource_version;
};

Api::Api(std::shared_ptr<Transport> transport, Clock& clock, Random& random, double qps, double burst)
    : transport_(std::move(transport)), clock_(clock), random_(random) {
  if (qps > 0) limit_ = std::make_unique<RateLimit>(qps, burst, clock.now());
}

Api::~Api() = default;

void Api::warn_once(const std::string& warning) {
  std::lock_guard lock(warned_mutex_);
  if (warned_.size() < kWarningsKept && warned_.insert(warning).second)
    log::warn("warning from the API server text={:?}", warning);
}

Task<Result<Response>> Api::call(Request request, CallOptions options) {
  const Steady deadline = clock_.now() + options.deadline;
  const bool reads = request.method == "GET";
  Retry retry(reads, random_, options.repeats);
  bool doubted = false;  // an earlier try may have taken effect, or may still
  for (;;) {
    if (limit_) {
      auto turn = limit_->take(clock_.now());
      if (clock_.now() + turn >= deadline)
        co_return std::unexpected(
            of_request(fail(Error::Kind::timeout, "client-side rate limit: deadline would pass").error(),
                       request.method, request.target));
      if (turn.count() > 0) co_await async::nap(turn);
    }
    request.timeout = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - clock_.now());
    auto response = co_await transport_->send(request);
    if (response && !response->warning.empty()) warn_once(response->warning);
    if (response && response->status < 300) co_return response;
    Error error = response ? error_of(*response) : std::move(response.error());
    auto pause = options.retry ? retry.after(error) : std::nullopt;
    if (!pause || clock_.now() + *pause >= deadline) {
      error.maybe_applied |= doubted;
      co_return std::unexpected(of_request(std::move(error), request.method, request.target));
    }
    doubted |= !reads && leaves_doubt(error);
    request.retries = response ? response->status : 0;
    co_await async::nap(*pause);
  }
}

Task<Result<json::value>> Api::call_json(Request request, CallOptions options) {
  const std::string method = request.method, target = request.target;
  auto response = co_await call(std::move(request), options);
  if (!response) co_return std::unexpected(std::move(response.error()));
  auto parsed = api::parse_object(response->body);
  if (!parsed) co_return std::unexpected(undecodable(parsed.error(), method, target));
  co_return parsed;
}

Task<Result<json::value>> Api::get(Resource resource, std::string ns, std::string name, CallOptions options) {
  Request request = request_of("GET", resource.path(ns, name));
  co_return co_await call_json(std::move(request), options);
}

Task<Result<std::string>> Api::get_text(std::string path, CallOptions options) {
  Request request = request_of("GET", std::move(path));
  auto response = co_await call(std::move(request), options);
  if (!response) co_return std::unexpected(std::move(response.error()));
  co_return Result<std::string>(std::move(response->body));
}

Task<Result<Api::Page>> Api::page(Resource resource, std::string ns, ListOptions options, std::string token,
                                  CallOptions call_options, std::size_t* left) {
  const std::string target = resource.path(ns) + list_query(options, token);
  Request request = request_of("GET", target);
  if (options.metadata_only) request.accept = kBriefListReply;
  auto reply = co_await call(std::move(request), call_options);
  if (!reply) {
    if (reply.error().status.code == 410) reply.error().status.reason = "Expired";
    co_return std::unexpected(std::move(reply.error()));
  }
  if (reply->body.size() > *left) {
    auto error = invalid(fmt::format("the list is larger than {} bytes", options.most_bytes)).error();
    co_return std::unexpected(of_request(std::move(error), "GET", target));
  }
  *left -= reply->body.size();
  auto cut = split_list(reply->body);
  if (!cut) co_return std::unexpected(undecodable(cut.error(), "GET", target));
  Page page;
  page.resource_version = std::move(cut->resource_version);
  page.token = std::move(cut->token);
  for (const auto text : cut->items) {
    auto item = api::parse_object(text);
    page.items.push_back(item ? std::move(*item) : read_outline(text, {}));
    if (!item) unreadable_once(resource, name_of(page.items.back()), item.error());
  }
  co_return Result<Page>(std::move(page));
}

void Api::unreadable_once(const Resource& resource, const std::string& name, const Error& error) {
  const auto object = resource.plural + " " + name;
  std::lock_guard lock(warned_mutex_);
  if (unreadable_.size() < kWarningsKept && unreadable_.insert(object).second)
    log::warn("object cannot be parsed, using its metadata only object={:?} error={:?}", object,
              error.message);
}

Task<Result<std::string>> Api::list_pages(Resource resource, std::string ns, ListOptions options,
                                          std::function<bool(std::vector<json::value>)> each,
                                          CallOptions call_options) {
  std::string token;
  PageProgress progress;
  auto left = options.most_bytes > 0 ? options.most_bytes : std::numeric_limits<std::size_t>::max();
  for (;;) {
    auto got = co_await page(resource, ns, options, token, call_options, &left);
    if (!got) co_return std::unexpected(std::move(got.error()));
    const bool has_items = !got->items.empty();
    bool more = each(std::move(got->items));
    if (!more || got->token.empty()) co_return Result<std::string>(std::move(got->resource_version));
    if (!progress.add(got->token, has_items))
      co_return std::unexpected(of_request(PageProgress::error(), "GET", resource.path(ns)));
    token = std::move(got->token);
  }
}

Task<Result<ListResult>> Api::list(Resource resource, std::string ns, ListOptions options,
                                   CallOptions call_options) {
  ListResult result;
  std::function<bool(std::vector<json::value>)> collect = [&result](std::vector<json::value> items) {
    std::move(items.begin(), items.end(), std::back_inserter(result.items));
    return true;
  };
  auto version = co_await list_pages(resource, ns, options, collect, call_options);
  if (!version) co_return std::unexpected(std::move(version.error()));
  result.resource_version = std::move(*version);
  co_return Result<ListResult>(std::move(result));
}

Task<Result<json::value>> Api::create(Resource resource, std::string ns, json::value object,
                                      CallOptions options, std::string name, std::string subresource) {
  auto path = name.empty() ? resource.path(ns) : resource.path(ns, name, subresource);
  Request request = request_of("POST", std::move(path), json::serialize(object));
  co_return co_await call_json(std::move(request), options);
}

Task<Result<json::value>> Api::update(Resource resource, std::string ns, std::string name, json::value object,
                                      std::string subresource, CallOptions options) {
  Request request = request_of("PUT", resource.path(ns, name, subresource), json::serialize(object));
  co_return co_await call_json(std::move(request), options);
}

Task<Result<json::value>> Api::patch(Resource resource, std::string ns, std::string name, PatchType type,
                                     json::value body, std::string subresource, std::string field_manager,
                                     CallOptions options) {
  std::string target =
      resource.path(ns, name, subresource) + "?fieldManager=" + percent_encode(field_manager);
  if (type == PatchType::apply) target += "&force=true";
  Request request = request_of("PATCH", std::move(target), json::serialize(body));
  request.content_type = content_type_of(type);
  co_return co_await call_json(std::move(request), options);
}

Task<Result<json::value>> Api::remove(Resource resource, std::string ns, std::string name,
                                      DeleteOptions options, CallOptions call_options) {
  Request request = request_of("DELETE", resource.path(ns, name), json::serialize(delete_body(options)));
  co_return co_await call_json(std::move(request), call_options);
}

Task<std::vector<Result<std::string>>> Api::send_all(std::vector<Request> requests) {
  if (limit_) {
    for (std::size_t i = 0; i < requests.size(); ++i) co_await async::nap(limit_->take(clock_.now()));
  }
  std::vector<std::pair<std::string, std::string>> lines;  // of the requests, for errors
  lines.reserve(requests.size());
  for (const auto& request : requests) lines.emplace_back(request.method, request.target);
  // A batch fails as a whole if one of its requests cannot be sent. So requests for objects with invalid
  // names are left out.
  std::erase_if(requests, [](const Request& request) { return !is_request_target(request.target); });
  auto replies = co_await transport_->send_all(std::move(requests));
  std::vector<Result<std::string>> answers;
  answers.reserve(lines.size());
  for (std::size_t i = 0, next = 0; i < lines.size(); ++i) {
    if (!is_request_target(lines[i].second)) {
      auto refused = invalid("not a request target: " + lines[i].second).error();
      answers.push_back(std::unexpected(of_request(std::move(refused), lines[i].first, lines[i].second)));
      continue;
    }
    auto& reply = replies[next++];
    if (reply && !reply->warning.empty()) warn_once(reply->warning);
    if (reply && reply->status < 300) {
      answers.push_back(std::move(reply->body));
    } else {
      answers.push_back(std::unexpected(
          of_request(reply ? error_of(*reply) : std::move(reply.error()), lines[i].first, lines[i].second)));
    }
  }
  co_return answers;
}

Task<Result<void>> Api::post(std::string path, std::string body, CallOptions options) {
  Request request = request_of("POST", std::move(path), std::move(body));
  request.accept = kBriefReply;
  auto response = co_await call(std::move(request), options);
  if (!response) co_return std::unexpected(std::move(response.error()));
  co_return Result<void>();
}

}  // namespace podium::client
