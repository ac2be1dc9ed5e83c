// Api: typed calls to one API server (get, list, create, update, patch, delete), with retries.
//
// Retries with jittered backoff until the call's deadline, on: a connection refused or cut before a
// reply; 429; 503 with Retry-After; 500, 502, 503 and 504 of reads, but for a 504 of a server that does not
// have the version yet. A write whose reply was lost is not retried: the caller gets Kind::unavailable with
// maybe_applied, and has to read the object first. Nor is one that the server may have processed, except with
// CallOptions::repeats. Then the error has maybe_applied also if an earlier try may have taken effect.
// Rate limit: only if qps > 0. Each distinct warning of the server is logged once, up to 256 warnings.
// Owner: the composing code; an Api outlives its calls. Threads: as Transport.
// Errors: Kind::status for an HTTP status of 300 and above after retries; the reason is empty if the body is
// not a metav1.Status (an error page of a proxy), and "Expired" for a list whose continue token has expired.
// Kind::internal if the body cannot be decoded; Kind::invalid if a list is larger than most_bytes or does not
// end. Else as Transport. Every error has its request.
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
#include "base/random.h"
#include "base/result.h"
#include "client/field_manager.h"
#include "client/http/transport.h"
#include "client/request_errors.h"
#include "client/retry.h"

namespace podium::client {

// The parameter types below have constructors: GCC 12 destroys an aggregate twice that is created inside
// a co_await expression.

// A resource of the API server, such as group "", version "v1", plural "pods".
struct Resource {
  Resource() {}
  Resource(std::string group, std::string version, std::string plural, bool namespaced = true)
      : group(std::move(group)),
        version(std::move(version)),
        plural(std::move(plural)),
        namespaced(namespaced) {}

  std::string group, version, plural;
  bool namespaced = true;
  // The path of the collection, in a namespace or in all (""), or of one object. It is empty if a segment is
  // not a valid name ("", ".", "..", or one with a slash, a percent sign or a control character): such a path
  // would lead elsewhere. No transport sends a request with an empty path.
  std::string path(const std::string& ns) const;
  std::string path(const std::string& ns, const std::string& name, const std::string& subresource = {}) const;
};

namespace resource {
extern const Resource pods, nodes, namespaces, services, replication_controllers, replica_sets, stateful_sets,
    persistent_volumes, persistent_volume_claims, storage_classes, csi_nodes, csi_drivers,
    csi_storage_capacities, volume_attachments, resource_claims, resource_slices, device_classes,
    device_taint_rules, pod_disruption_budgets, priority_classes, limit_ranges, runtime_classes,
    resource_claim_templates, leases, events, scheduling_reports, custom_resource_definitions;
}

struct ListOptions {
  ListOptions() {}

  std::string label_selector, field_selector;
  std::int64_t limit = 500;    // of a page
  std::size_t most_bytes = 0;  // of all pages; of a larger list nothing more is read or parsed. 0: any
  bool metadata_only = false;  // items have apiVersion, kind and metadata only
};

struct ListResult {
  std::vector<boost::json::value> items;
  std::string resource_version;
};

// Accept header that asks for the object's metadata only (PartialObjectMetadata).
extern const char* const kBriefReply;
extern const char* const kBriefListReply;  // of a list (PartialObjectMetadataList)

enum class PatchType { merge, strategic_merge, apply };

struct DeleteOptions {
  DeleteOptions() {}

  std::string uid, resource_version;  // preconditions; empty: none
  std::string propagation_policy;
};

struct CallOptions {
  std::chrono::milliseconds deadline{30'000};  // includes retries; for a list: per page
  bool retry = true;
  Repeats repeats = Repeats::nothing;
};

class Api {
 public:
  Api(std::shared_ptr<Transport> transport, Clock& clock, Random& random, double qps = 0, double burst = 0);
  ~Api();

  Task<Result<boost::json::value>> get(Resource, std::string ns, std::string name, CallOptions = {});
  // Returns the body undecoded, for objects that may be too large or too deeply nested to decode.
  Task<Result<std::string>> get_text(std::string path, CallOptions = {});
  Task<Result<ListResult>> list(Resource, std::string ns, ListOptions, CallOptions = {});  // all pages
  // Page by page, for lists that do not fit in memory. each(items) returns false to stop. Returns the list's
  // resourceVersion. In list() and list_pages(), an item that cannot be decoded (nested too deeply) is
  // replaced by its metadata.
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
                                         std::string field_manager = kFieldManager, CallOptions = {});
  Task<Result<boost::json::value>> remove(Resource, std::string ns, std::string name, DeleteOptions = {},
                                          CallOptions = {});
  // Like create(), for hot paths: takes JSON text and discards the reply's body.
  Task<Result<void>> post(std::string path, std::string body, CallOptions = {});

  // Pipelines small writes on one connection (Transport::send_all). No retries. One result per request, in
  // order: the reply's body.
  Task<std::vector<Result<std::string>>> send_all(std::vector<Request> requests);

  Transport& transport() { return *transport_; }
  Clock& clock() { return clock_; }
  Random& random() { return random_; }

 private:
  struct Page;
  Task<Result<Response>> call(Request request, CallOptions options);
  Task<Result<boost::json::value>> call_json(Request request, CallOptions options);
  // `left`: bytes that the page may have; updated.
  Task<Result<Page>> page(Resource resource, std::string ns, ListOptions options, std::string token,
                          CallOptions call, std::size_t* left);
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
