#include "app/kubectl/ask.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>

#include "api/decode/dump_kinds.h"
#include "api/text/json_view.h"
#include "app/kubectl/label_keys.h"
#include "app/kubectl/question_spec.h"
#include "app/kubectl/targets.h"
#include "app/render/report.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;
const auto& reports = client::resource::scheduling_reports;

constexpr const char* kDryRun = "?dryRun=All&fieldValidation=Strict";
constexpr const char* kStrict = "?fieldValidation=Strict";

// Deletes the question in all cases, including Ctrl-C and errors.
class Stored {
 public:
  Stored(LiveCluster& cluster, std::string ns, std::string name)
      : cluster_(cluster), ns_(std::move(ns)), name_(std::move(name)) {}
  ~Stored() {
    if (keep_) return;
    cluster_.start_timeout();
    // Ignores the error: if the question cannot be deleted, its TTL expires.
    (void)cluster_.write("DELETE", reports.path(ns_, name_), json::object());
  }
  Stored(const Stored&) = delete;
  void keep() { keep_ = true; }

 private:
  LiveCluster& cluster_;
  const std::string ns_, name_;
  bool keep_ = false;
};

// Whether a 403 is due to RBAC. Quota, webhooks and policies have the same code and reason, so this reviews
// the user's access. If the review fails, assumes that the user has access.
bool is_rights(LiveCluster& cluster, const Error& error, const client::Resource& resource,
               const std::string& ns) {
  if (!client::is_forbidden(error)) return false;
  const auto said = cluster.write(
      "POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
      json::object{
          {"apiVersion", "authorization.k8s.io/v1"},
          {"kind", "SelfSubjectAccessReview"},
          {"spec", json::object{{"resourceAttributes", json::object{{"namespace", ns},
                                                                    {"verb", "create"},
                                                                    {"group", resource.group},
                                                                    {"resource", resource.plural}}}}}});
  const auto* allowed = said ? api::find_at(*said, "/status/allowed") : nullptr;
  return allowed && *allowed == json::value(false);
}

Error create_error(LiveCluster& cluster, Error error, const std::string& ns) {
  if (is_not_installed(error)) {
    error.message = not_installed_words(ns, "POD");
  } else if (is_rights(cluster, error, reports, ns)) {
    error.message = fmt::format(
        "a question is a SchedulingReport, which you may not create in namespace {}; the role \"edit\" "
        "allows it: {}",
        ns, error.message);
  } else if (error.status.code == 400) {
    // This program created the object and sent it with strict validation, so the CRD lacks one of its fields.
    error.kind = Error::Kind::invalid;
    error.message = "the podium of this cluster cannot answer this question: " + error.message;
  } else if (client::is_invalid(error)) {
    error.kind = Error::Kind::invalid;
  }
  return error;
}

Error wait_error(Error error, const std::string& ns, const std::string& name,
                 std::chrono::milliseconds timeout) {
  if (error.kind == Error::Kind::timeout) {
    error.request = {};
    error.message = fmt::format(
        "no answer within {} s. Is podium running? kubectl get pods -A -l app.kubernetes.io/name=podium",
        std::chrono::duration<double>(timeout).count());
  } else if (client::object_is_gone(error)) {
    error.request = {};
    error.message = fmt::format("the question {}/{} was deleted before it was answered", ns, name);
  }
  return error;
}

}  // namespace

bool is_not_installed(const Error& error) {
  return client::is_not_found(error) && !client::object_is_gone(error);
}

std::string not_installed_words(const std::string& ns, const std::string& pod) {
  return fmt::format(
      "podium is not installed in this cluster: the API server has no schedulingreports.podium.dev. "
      "Without it, from what you may list:\n"
      "  {} > dump.yaml\n"
      "  podium evaluate --cluster dump.yaml --pod {}/{}",
      api::dump_command(), ns, pod);
}

AdmittedPod dry_run_pod(LiveCluster& cluster, const std::string& ns, const json::value& pod) {
  auto admitted = cluster.write("POST", client::resource::pods.path(ns) + kDryRun, pod);
  if (admitted) {
    remove_merged_label_keys(*admitted);
    return {std::move(admitted)};
  }
  auto error = std::move(admitted.error());
  // podium counts quotas itself, and answers how many pods they leave room for.
  if (client::exceeds_quota(error)) return {.pod = pod};
  AdmittedPod out{std::unexpected(error)};
  if (client::is_invalid(error)) error.kind = Error::Kind::invalid;
  if (is_rights(cluster, error, client::resource::pods, ns)) {
    error.message =
        "you may not create such a pod, so the API server cannot be asked about it: " + error.message;
  } else {
    out.refused = client::is_forbidden(error);
    error.message = "the API server refuses such a pod: " + error.message;
  }
  out.pod = std::unexpected(std::move(error));
  return out;
}

Result<bool> dry_run(LiveCluster& cluster, const std::string& ns, const json::value& object) {
  const auto kind = api::text_at(object, "/kind"), name = api::text_at(object, "/metadata/name");
  const auto* maker = api::pod_maker(api::text_at(object, "/apiVersion"), kind);
  if (!maker) return false;
  const auto resource = resource_of(*maker);
  auto copy = object;
  copy.as_object()["metadata"].as_object()["namespace"] = ns;
  copy.as_object()["metadata"].as_object().erase("resourceVersion");
  copy.as_object()["metadata"].as_object().erase("uid");
  auto done = cluster.write("POST", resource.path(ns) + kDryRun, copy);
  // A used up quota for such objects, or a Job as it is stored, with the selector that its controller made,
  // refuses the POST before the API server sees that the object exists.
  const auto is_there = [&](const Error& error) {
    const bool comes_first = client::exceeds_quota(error) || client::is_invalid(error);
    return client::is_conflict(error) || (comes_first && cluster.get(resource, ns, name).has_value());
  };
  const bool exists = !done && !name.empty() && is_there(done.error());
  if (exists) {
    // The API server sets the selectors of Jobs and refuses a replacement without them.
    if (resource.group == "batch") return true;
    done = cluster.write("PUT", resource.path(ns, name) + kDryRun, copy);
  }
  if (done) return exists;
  auto error = std::move(done.error());
  if (client::is_invalid(error)) error.kind = Error::Kind::invalid;
  error.message = refusal(kind, name, error.message);
  return std::unexpected(std::move(error));
}

std::string refusal(std::string_view kind, std::string_view name, std::string_view why) {
  return fmt::format("the API server refuses {} {}: {}", kind, name, why);
}

Result<json::value> ask(LiveCluster& cluster, const std::string& ns, json::object spec, bool keep) {
  cluster.catch_interrupts();
  cluster.start_timeout();
  const auto name = fmt::format("whatif-{:016x}", cluster.random().next());
  auto created =
      cluster.write("POST", reports.path(ns) + kStrict, question_object(ns, name, std::move(spec), keep));
  if (!created && !created.error().maybe_applied) {
    return std::unexpected(create_error(cluster, std::move(created.error()), ns));
  }
  Stored stored(cluster, ns, name);
  if (!created) return std::unexpected(std::move(created.error()));
  const auto is_answered = [](const json::value& object) {
    return explain::is_complete(render::read_report(object));
  };
  auto answered = cluster.wait_for(reports, ns, name, is_answered);
  if (!answered) {
    return std::unexpected(wait_error(std::move(answered.error()), ns, name, cluster.timeout()));
  }
  if (keep) stored.keep();
  return answered;
}

}  // namespace podium::kubectl
