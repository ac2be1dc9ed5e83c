// Api: the API server's verbs, with retries.
//
// A call is retried with jittered backoff while the failure is one that a retry can mend (connection refused
// or cut before a reply, 429 and 503 with Retry-After honoured, 500, 502, 503 and 504 for reads), at most
// until its deadline. What changes something and lost its reply is not sent twice blindly: the caller gets
// Kind::unavailable with maybe_applied and looks. Client-side rate limit: none but the connection pool,
// unless qps > 0. A warning of the server is logged once.
// Threads: as Transport; an Api must outlive its calls.
// Errors: Kind::status for a reply of 300 and above, with its code, after the retries that it allows; the
// reason is that of the metav1.Status, and empty where the reply is none (a proxy's page); a list whose
// continue token has expired ends with reason "Expired"; Kind::internal for a reply that is not what was
// asked for.
#pragma once

#include <boost/json/value.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "client/http/transport.h"
#include "client/retry.h"

namespace podium::client {

// The parameters below have constructors, since GCC 12 destroys an aggregate that is made inside a co_await
// twice.

// A kind of object on the API server: group "", version "v1", plural "pods".
struct Resource {
  Resource() {}
  Resource(std::string group, std::string version, std::string plural, bool namespaced = true)
      : group(std::move(group)),
        version(std::move(version)),
        plural(std::move(plural)),
        namespaced(namespaced) {}

  std::string group, version, plural;
  bool namespaced = true;
  std::string path(const std::string& ns, const std::string& name = "",
                   const std::string& subresource = "") const;
};

namespace resource {
extern const Resource pods, nodes, namespaces, services, replication_controllers, replica_sets, stateful_sets,
    persistent_volumes, persistent_volume_claims, storage_classes, csi_nodes, csi_drivers,
    csi_storage_capacities, volume_attachments, pod_disruption_budgets, priority_classes, leases, events,
    scheduling_reports, custom_resource_definitions;
}

struct ListOptions {
  ListOptions() {}

  std::string label_selector, field_selector;
  std::string resource_version, resource_version_match;
  std::int64_t limit = 500;
  bool metadata_only = false;  // items hold apiVersion, kind and metadata
};

struct ListResult {
  std::vector<boost::json::value> items;
  std::string resource_version;
};

// The Accept header of a request whose reply need not hold more of an object than its metadata.
extern const char* const kBriefReply;

// The API server itself says that the object of the request, or its namespace, is not there. False for any
// other 404: a proxy's on the way, one of a kind that is not served, or one that names another object.
bool object_is_gone(const Error& error);

enum class PatchType { merge, strategic_merge, apply };

struct DeleteOptions {
  DeleteOptions() {}

  std::string uid, resource_version;  // preconditions; empty: none
  std::string propagation_policy;
};

struct CallOptions {
  std::chrono::milliseconds deadline{30'000};  // for the call with its retries; of a list: for each page
  bool retry = true;
};

class Api {
 public:
  Api(std::shared_ptr<Transport> transport, Clock& clock, Random& random, double qps = 0, double burst = 0);
  ~Api();

  Task<Result<boost::json::value>> get(Resource, std::string ns, std::string name, CallOptions = {});
  // As it came, undecoded: for what may be too large or too deep to decode.
  Task<Result<std::string>> get_text(std::string path, CallOptions = {});
  Task<Result<ListResult>> list(Resource, std::string ns, ListOptions, CallOptions = {});  // all pages
  // One page at a time, for lists too long to hold; each(items) returns false to stop. Of an item that cannot
  // be read (nested too deeply) there is its metadata, in both.
  Task<Result<std::string>> list_pages(Resource, std::string ns, ListOptions,
                                       std::function<bool(std::vector<boost::json::value>)> each,
                                       CallOptions = {});
  Task<Result<boost::json::value>> create(Resource, std::string ns, boost::json::value object,
                                          CallOptions = {}, std::string name = "",
                                          std::string subresource = "");
  Task<Result<boost::json::value>> update(Resource, std::string ns, std::string name,
                                          boost::json::value object, std::string subresource = "",
                                          CallOptions = {});
  Task<Result<boost::json::value>> patch(Resource, std::string ns, std::string name, PatchType,
                                         boost::json::value body, std::string subresource = "",
                                         std::string field_manager = "podium", CallOptions = {});
  Task<Result<boost::json::value>> remove(Resource, std::string ns, std::string name, DeleteOptions = {},
                                          CallOptions = {});
  // As create, for hot paths: the body is JSON text already and the reply's body is dropped.
  Task<Result<void>> post(std::string path, std::string body, CallOptions = {});

  // Small writes for hot paths, at once on one connection (Transport::send_all). One try each: what to do
  // about one that failed is the caller's. The answers are the replies' bodies, for `brief` requests only the
  // object's metadata.
  Task<std::vector<Result<std::string>>> send_all(std::vector<Request> requests);

  Transport& transport() { return *transport_; }
  Clock& clock() { return clock_; }
  Random& random() { return random_; }

 private:
  struct Page;
  Task<Result<Response>> call(Request request, CallOptions options);
  Task<Result<boost::json::value>> call_json(Request request, CallOptions options);
  Task<Result<Page>> page(Resource resource, std::string ns, ListOptions options, std::string token,
                          CallOptions call);
  void warn_once(const std::string& warning);
  void unreadable_once(const Resource& resource, const std::string& name, const Error& error);

  std::shared_ptr<Transport> transport_;
  Clock& clock_;
  Random& random_;
  std::unique_ptr<RateLimit> limit_;
  std::mutex warned_mutex_;
  std::set<std::string> warned_, unreadable_;
};

}  // namespace podium::client
