#include "controller/what_if/admission_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "api/decode/decode.h"
#include "api/decode/pod_group_minimum.h"
#include "api/text/parse_json.h"
#include "api/validate/validate.h"
#include "api/values/pod_group.h"
#include "client/request_errors.h"
#include "log/log.h"

namespace podium::controller {
namespace {

using client::Task;

const client::Resource kQuotas{"", "v1", "resourcequotas", true};
const client::Resource kPodGroups{"scheduling.k8s.io", "v1beta1", "podgroups", true};
const client::Resource kCoschedulingGroups{"scheduling.x-k8s.io", "v1alpha1", "podgroups", true};

constexpr std::int64_t kListed = 10;  // at a time: a tenant's objects may be large

// The object was read, and cannot be decoded. After other errors nothing more is read: the next read may also
// take as long as its deadline.
bool is_read(const Error& error) { return error.kind == Error::Kind::invalid; }

std::unexpected<Error> out_of_time() {
  return std::unexpected(Error{.kind = Error::Kind::timeout,
                               .message = fmt::format("the objects of the question were not read within {} s",
                                                      AdmissionReader::kReading.count())});
}

std::unexpected<Error> too_large() {
  return std::unexpected(Error{.kind = Error::Kind::too_large,
                               .message = fmt::format("the objects of the question are larger than {} bytes",
                                                      AdmissionReader::kMostListedBytes)});
}

// For the asker. The log has the error.
std::string why_unread(const Error& error) {
  if (client::is_forbidden(error)) return "podium does not have the right to get ResourceClaimTemplates";
  if (error.kind == Error::Kind::too_large) return error.message;
  return is_read(error) ? "what the API server returned is not valid" : "the API server did not answer";
}

template <typename T>
Result<std::vector<T>> decode_all(const std::vector<boost::json::value>& items,
                                  Result<T> (*decode)(const boost::json::value&)) {
  std::vector<T> out;
  for (const auto& item : items) {
    auto object = decode(item);
    if (!object) return std::unexpected(object.error());
    out.push_back(std::move(*object));
  }
  std::ranges::sort(out, {}, [](const T& object) -> const auto& { return object.meta.name; });
  return out;
}

}  // namespace

Task<api::AdmissionObjects> AdmissionReader::read(std::shared_ptr<const explain::Question> question) {
  api::AdmissionObjects out;
  const auto until = api_.clock().now() + kReading;
  auto groups = co_await groups_of(question);
  co_await read_groups(std::move(groups), until, &out);
  if (question->search) co_return out;
  const auto pods = explain::placed_pods(*question);
  const auto& ns = question->subject->pod.meta.namespace_;
  // A stored pod was admitted, but its fixes are changes of a template, to which its class adds again.
  std::set<std::string> classes;
  bool has_new = false;
  for (const auto& each : pods) {
    const bool is_new = !each.subject->is_stored;
    has_new |= is_new;
    if (is_new || question->fixes) classes.insert(each.subject->pod.runtime_class);
  }
  if (has_new) {
    co_await read_all("LimitRange", &client::resource::limit_ranges, ns, &api::decode_limit_range, until,
                      &out.limit_ranges);
  }
  // An answer has those that the question adds, whether the cluster has them or not.
  for (const auto& change : question->changes) {
    for (const auto& added : change.objects.runtime_classes) classes.erase(added->meta.name);
  }
  for (const auto& name : classes) {
    const bool continues = co_await read_runtime_class(name, until, &out);
    if (!continues) break;
  }
  co_await read_all("ResourceQuota", &kQuotas, ns, &api::decode_resource_quota, until, &out.quotas);
  co_await read_claim_templates(question, until, &out);
  co_return out;
}

template <typename T>
Task<void> AdmissionReader::read_all(const char* kind, const client::Resource* resource, std::string ns,
                                     Result<T> (*decode)(const boost::json::value&), Steady until,
                                     std::optional<std::vector<T>>* out) {
  std::vector<boost::json::value> items;
  client::ListOptions list;
  list.limit = kListed;
  list.most_bytes = kMostListedBytes;
  bool is_late = false;  // each page has the deadline of one read
  const std::function<bool(std::vector<boost::json::value>)> take =
      [&](std::vector<boost::json::value> page) {
        std::ranges::move(page, std::back_inserter(items));
        is_late = api_.clock().now() >= until;
        return items.size() <= kMostListed && !is_late;
      };
  const auto options = options_until(until);
  if (!options) {
    log(kind, out_of_time().error());
    co_return;
  }
  const auto listed = co_await api_.list_pages(*resource, ns, list, take, *options);
  auto objects = listed ? decode_all(items, decode) : std::unexpected(listed.error());
  if (objects && is_late) objects = out_of_time();
  if (objects && items.size() > kMostListed)
    objects = invalid(fmt::format("more than {} in namespace {}", kMostListed, ns));
  if (objects) {
    *out = std::move(*objects);
  } else {
    log(kind, objects.error());
  }
}

Task<bool> AdmissionReader::read_runtime_class(std::string name, Steady until, api::AdmissionObjects* out) {
  // The author chooses the name: it must not lead to another path.
  if (!api::is_dns_subdomain(name)) {
    const bool is_none = name.empty();
    out->runtime_classes.emplace(std::move(name), std::nullopt);
    co_return is_none;
  }
  auto path = client::resource::runtime_classes.path("", name);
  auto read =
      co_await read_one(std::move(path), kMostListedBytes, &api::decode_runtime_class, until, &classes_);
  if (read) {
    out->runtime_classes.emplace(std::move(name), std::move(read->object));
    co_return true;
  }
  if (client::object_is_gone(read.error()))
    out->runtime_classes.emplace(std::move(name), std::nullopt);
  else
    log("RuntimeClass", read.error());
  co_return is_read(read.error());
}

Task<void> AdmissionReader::read_claim_templates(std::shared_ptr<const explain::Question> question,
                                                 Steady until, api::AdmissionObjects* out) {
  const auto names = explain::claim_templates_of(explain::placed_pods(*question));
  if (!names) co_return;  // the answer refuses the question
  auto left = kMostListedBytes;
  std::string stopped;  // why no more are read; empty: they are
  for (const auto& name : *names) {
    if (!stopped.empty()) {
      out->unread_claim_templates.emplace(name, stopped);
      continue;
    }
    // The author chooses the name: it must not lead to another path.
    if (!api::is_dns_subdomain(name)) {
      out->no_claim_templates.insert(name);
      continue;
    }
    auto path = client::resource::resource_claim_templates.path(question->subject->pod.meta.namespace_, name);
    auto read =
        co_await read_one(std::move(path), left, &api::decode_resource_claim_template, until, &templates_);
    if (read) {
      left -= read->bytes;
      out->claim_templates.emplace(name, std::move(read->object));
    } else if (client::object_is_gone(read.error())) {
      out->no_claim_templates.insert(name);
    } else {
      log("ResourceClaimTemplate", read.error());
      auto why = why_unread(read.error());
      if (!is_read(read.error())) stopped = why;
      out->unread_claim_templates.emplace(name, std::move(why));
    }
  }
}

Task<AdmissionReader::Groups> AdmissionReader::groups_of(std::shared_ptr<const explain::Question> question) {
  Groups out;
  const auto add = [&out](const api::Pod& pod) {
    if (const auto* name = api::pod_group_of(pod))
      out.insert({api::is_of_kubernetes_group(pod), pod.meta.namespace_, *name});
  };
  if (!question->search) {
    add(question->subject->pod);
  } else if (question->search->kind == explain::SearchSpec::Kind::for_pending && waiting_) {
    const auto waiting = co_await waiting_();
    for (const auto& pod : waiting) add(*pod->pod);
  }
  co_return out;
}

std::vector<AdmissionReader::Group> AdmissionReader::in_turns(const Groups& groups) {
  std::map<std::string_view, std::size_t> of_namespace;
  std::vector<std::pair<std::size_t, Group>> turns;
  for (const auto& group : groups) turns.emplace_back(of_namespace[group.ns]++, group);
  std::ranges::stable_sort(turns, {}, &std::pair<std::size_t, Group>::first);
  std::vector<Group> out;
  for (auto& turn : turns) out.push_back(std::move(turn.second));
  return out;
}

// A kind that the API server does not serve has no objects. It may serve it later, so the next question asks
// again, once.
Task<void> AdmissionReader::read_groups(Groups groups, Steady until, api::AdmissionObjects* out) {
  std::size_t left = kMostGroups;
  std::set<bool> unserved, failed;
  for (const auto& [is_of_kubernetes, ns, name] : in_turns(groups)) {
    // The author chooses the name: it must not lead to another path.
    if (unserved.contains(is_of_kubernetes) || !api::is_dns_subdomain(name)) continue;
    if (left == 0 || failed.contains(is_of_kubernetes)) {
      out->has_all_group_minimums = false;
      continue;
    }
    --left;
    auto path = (is_of_kubernetes ? kPodGroups : kCoschedulingGroups).path(ns, name);
    auto read =
        co_await read_one(std::move(path), kMostListedBytes, &api::pod_group_minimum, until, &groups_);
    if (read) {
      if (read->object > 0) out->group_minimums[{ns, name}] = read->object;
    } else if (client::object_is_gone(read.error())) {
      continue;
    } else if (client::is_not_found(read.error())) {
      unserved.insert(is_of_kubernetes);
    } else {
      out->has_all_group_minimums = false;
      log("PodGroup", read.error());
      if (!is_read(read.error())) failed.insert(is_of_kubernetes);
    }
  }
}

std::optional<client::CallOptions> AdmissionReader::options_until(Steady until) const {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - api_.clock().now());
  if (left.count() <= 0) return std::nullopt;
  client::CallOptions options;
  options.deadline = std::min<std::chrono::milliseconds>(left, kReadingOne);
  return options;
}

template <typename Cache, typename T>
Task<Result<typename Cache::Entry>> AdmissionReader::read_one(std::string path, std::size_t most_bytes,
                                                              Result<T> (*decode)(const boost::json::value&),
                                                              Steady until, Cache* cache) {
  const auto* known = cache->find(path, api_.clock().now());
  if (known && known->bytes <= most_bytes) co_return *known;
  const auto options = options_until(until);
  if (!options) co_return out_of_time();
  const auto text = co_await api_.get_text(path, *options);
  if (!text) co_return std::unexpected(text.error());
  if (text->size() > most_bytes) co_return too_large();
  const auto read = api::parse_json(*text);
  auto object = read ? decode(*read) : std::unexpected(read.error());
  if (!object) co_return std::unexpected(object.error());
  cache->keep(std::move(path), *object, text->size(), api_.clock().now());
  co_return typename Cache::Entry{.object = std::move(*object), .bytes = text->size()};
}

void AdmissionReader::log(const char* kind, const Error& error) {
  const auto& request = error.request;
  if (!log_.allows(fmt::format("{} {}", kind, error.status.code), api_.clock().now())) return;
  log::warn(
      "cannot read objects for admission, what-ifs are answered without them kind={} verb={} resource={} "
      "error={:?}",
      kind, request.verb, request.resource, error.text());
}

}  // namespace podium::controller
