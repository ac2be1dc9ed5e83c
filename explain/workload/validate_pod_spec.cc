#include "explain/workload/validate_pod_spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>

#include "api/text/json_view.h"
#include "api/validate/validate.h"
#include "base/ascii.h"
#include "explain/workload/validate_claim.h"

namespace podium::explain {
namespace {

namespace json = boost::json;

constexpr std::size_t kLongestPortName = 15, kMostRestartRules = 20;

using Names = std::set<std::string>;

std::string text_of(const json::value& value, std::string_view field) {
  return api::text_at(value, fmt::format("/{}", field));
}

bool has(const json::value& value, std::string_view field) {
  const auto* found = api::find_at(value, fmt::format("/{}", field));
  return found && !found->is_null();
}

bool is_true(const json::value& value, std::string_view field) {
  const auto* found = api::find_at(value, fmt::format("/{}", field));
  return found && found->is_bool() && found->get_bool();
}

// Calls for each object of a list.
void each(const json::value& value, std::string_view field, const FieldPath& path,
          const std::function<void(const json::value&, const FieldPath&)>& check) {
  const auto* list = api::find_at(value, fmt::format("/{}", field));
  if (!list || !list->is_array()) return;
  for (std::size_t i = 0; i < list->get_array().size(); ++i) {
    const auto& item = list->get_array()[i];
    if (item.is_object()) check(item, (path / field)[i]);
  }
}

// `at`: the field that the API server names; empty: `field`.
void check_one_of(const json::value& value, std::string_view field, const FieldPath& path,
                  std::initializer_list<std::string_view> supported, std::string_view at,
                  Problems& problems) {
  const auto given = text_of(value, field);
  if (given.empty() || std::ranges::find(supported, given) != supported.end()) return;
  problems.not_supported(path / (at.empty() ? field : at), given, supported);
}

void check_one_of(const json::value& value, std::string_view field, const FieldPath& path,
                  std::initializer_list<std::string_view> supported, Problems& problems) {
  check_one_of(value, field, path, supported, "", problems);
}

void check_label(const json::value& value, std::string_view field, const FieldPath& path,
                 Problems& problems) {
  const auto given = text_of(value, field);
  if (given.empty() || api::is_dns_label(given)) return;
  problems.invalid(path / field, given, api::kDnsLabelError);
}

// --- containers ---

// An IANA service name: letters, digits and single dashes inside, at least one letter.
bool is_port_name(std::string_view name) {
  const auto is_known = [](char c) { return is_lower(c) || is_digit(c) || c == '-'; };
  return name.size() <= kLongestPortName && std::ranges::all_of(name, is_known) &&
         std::ranges::any_of(name, is_lower) && !name.contains("--") && name.front() != '-' &&
         name.back() != '-';
}

void check_ports(const json::value& container, const FieldPath& path, Problems& problems) {
  Names names;
  each(container, "ports", path, [&](const json::value& port, const FieldPath& at) {
    const auto name = text_of(port, "name");
    if (name.empty()) return;
    if (!is_port_name(name)) {
      problems.invalid(at / "name", name,
                       "must be at most 15 lowercase letters, digits and dashes, with a letter");
    } else if (!names.insert(name).second) {
      problems.duplicate(at / "name", name);
    }
  });
}

void check_mounts(const json::value& container, const Names& volumes, const FieldPath& path,
                  Problems& problems) {
  Names paths;
  each(container, "volumeMounts", path, [&](const json::value& mount, const FieldPath& at) {
    const auto name = text_of(mount, "name"), where = text_of(mount, "mountPath");
    if (name.empty()) problems.required(at / "name");
    if (!volumes.contains(name)) problems.add(at / "name", fmt::format("Not found: \"{}\"", name));
    if (where.empty()) problems.required(at / "mountPath");
    if (!paths.insert(where).second) problems.invalid(at / "mountPath", where, "must be unique");
  });
  each(container, "volumeDevices", path, [&](const json::value& device, const FieldPath& at) {
    const auto name = text_of(device, "name");
    if (name.empty()) problems.required(at / "name");
    if (!volumes.contains(name)) problems.add(at / "name", fmt::format("Not found: \"{}\"", name));
    if (text_of(device, "devicePath").empty()) problems.required(at / "devicePath");
  });
}

void check_claims(const json::value& container, const Names& claims, const FieldPath& path,
                  Problems& problems) {
  const auto* resources = api::find_at(container, "/resources");
  if (!resources) return;
  Names names;
  each(*resources, "claims", path / "resources", [&](const json::value& claim, const FieldPath& at) {
    const auto name = text_of(claim, "name"), request = text_of(claim, "request");
    if (name.empty()) return problems.required(at);
    if (!claims.contains(name)) problems.add(at, fmt::format("Not found: \"{}\"", name));
    const auto key = request.empty() ? name : name + '/' + request;
    const auto below = names.lower_bound(name + '/');
    const bool has_part = request.empty() && below != names.end() && below->starts_with(name + '/');
    if (names.contains(name) || has_part || !names.insert(key).second) problems.duplicate(at, key);
  });
}

void check_restart_rules(const json::value& container, const FieldPath& path, Problems& problems) {
  check_one_of(container, "restartPolicy", path, {"Always", "Never", "OnFailure"}, problems);
  std::size_t count = 0;
  each(container, "restartPolicyRules", path, [&](const json::value& rule, const FieldPath& at) {
    ++count;
    check_one_of(rule, "action", at, {"Restart", "RestartAllContainers"}, problems);
    if (!has(rule, "exitCodes")) return problems.required(at / "exitCodes", "must be specified");
    check_one_of(*api::find_at(rule, "/exitCodes"), "operator", at / "exitCodes", {"In", "NotIn"}, problems);
  });
  if (count > 0 && text_of(container, "restartPolicy").empty())
    problems.required(path / "restartPolicy", "must specify restartPolicy when restart rules are used");
  if (count > kMostRestartRules) problems.too_many(path / "restartPolicyRules", count, kMostRestartRules);
}

// The policies of a resize; `never`: the pod's restartPolicy.
void check_resize(const json::value& container, bool never, const FieldPath& path, Problems& problems) {
  Names resources;
  each(container, "resizePolicy", path, [&](const json::value& policy, const FieldPath& at) {
    const auto resource = text_of(policy, "resourceName"), restart = text_of(policy, "restartPolicy");
    if (!resources.insert(resource).second) problems.duplicate(at, resource);
    if (resource.empty() || restart.empty()) return problems.required(path / "resizePolicy");
    check_one_of(policy, "resourceName", path, {"cpu", "memory"}, "resizePolicy", problems);
    check_one_of(policy, "restartPolicy", path, {"NotRequired", "RestartContainer"}, "resizePolicy",
                 problems);
    if (never && restart == "RestartContainer")
      problems.invalid(path / "resizePolicy", "RestartContainer",
                       "must be 'NotRequired' when pod `restartPolicy` is 'Never'");
  });
}

struct Known {
  Names volumes, claims;
  bool host_users = true, never_restarts = false;
};

void check_container(const json::value& container, const Known& known, const FieldPath& path,
                     Problems& problems) {
  check_ports(container, path, problems);
  check_mounts(container, known.volumes, path, problems);
  check_claims(container, known.claims, path, problems);
  check_restart_rules(container, path, problems);
  check_resize(container, known.never_restarts, path, problems);
  check_one_of(container, "imagePullPolicy", path, {"Always", "IfNotPresent", "Never"}, problems);
  check_one_of(container, "terminationMessagePolicy", path, {"FallbackToLogsOnError", "File"}, problems);
  each(container, "env", path, [&](const json::value& variable, const FieldPath& at) {
    if (text_of(variable, "name").empty()) problems.required(at / "name");
  });
  if (!known.host_users && has(container, "volumeDevices"))
    problems.forbidden(path / "volumeDevices", api::kHostUsersError);
}

void check_init_container(const json::value& container, const FieldPath& path, Problems& problems) {
  if (text_of(container, "restartPolicy") == "Always") return;
  for (const auto* field : {"lifecycle", "livenessProbe", "readinessProbe", "startupProbe"}) {
    if (has(container, field))
      problems.forbidden(path / field, "may not be set for init containers without restartPolicy=Always");
  }
}

// --- volumes and the rest ---

void check_volume(const json::value& volume, const FieldPath& path, Problems& problems) {
  std::size_t sources = 0;
  for (const auto& [field, source] : volume.get_object()) {
    if (field == "name" || source.is_null()) continue;
    if (++sources > 1) problems.forbidden(path / field, "may not specify more than 1 volume type");
  }
  const auto* ephemeral = api::find_at(volume, "/ephemeral");
  if (!ephemeral || ephemeral->is_null()) return;
  const auto at = path / "ephemeral.volumeClaimTemplate";
  if (!has(*ephemeral, "volumeClaimTemplate")) return problems.required(at);
  check_claim_spec(*api::find_at(*ephemeral, "/volumeClaimTemplate"), at, problems);
}

void check_tolerations(const json::value& spec, const FieldPath& path, Problems& problems) {
  each(spec, "tolerations", path, [&](const json::value& toleration, const FieldPath& at) {
    const auto effect = text_of(toleration, "effect");
    if (has(toleration, "tolerationSeconds") && effect != "NoExecute")
      problems.invalid(at / "effect", effect, "effect must be 'NoExecute' when `tolerationSeconds` is set");
  });
}

void check_host_users(const json::value& spec, const FieldPath& path, Problems& problems) {
  for (const auto* field : {"hostPID", "hostIPC"}) {
    if (is_true(spec, field)) problems.forbidden(path / field, api::kHostUsersError);
  }
}

Known known_in(const json::value& spec, const FieldPath& path) {
  Known known;
  each(spec, "volumes", path,
       [&](const json::value& volume, const FieldPath&) { known.volumes.insert(text_of(volume, "name")); });
  each(spec, "resourceClaims", path,
       [&](const json::value& claim, const FieldPath&) { known.claims.insert(text_of(claim, "name")); });
  known.never_restarts = text_of(spec, "restartPolicy") == "Never";
  known.host_users = !has(spec, "hostUsers") || is_true(spec, "hostUsers");
  return known;
}

}  // namespace

void check_pod_spec(const json::value& spec, const FieldPath& path, Problems& problems,
                    const std::vector<std::string>& claimed) {
  auto known = known_in(spec, path);
  known.volumes.insert(claimed.begin(), claimed.end());
  each(spec, "volumes", path,
       [&](const json::value& volume, const FieldPath& at) { check_volume(volume, at, problems); });
  each(spec, "containers", path, [&](const json::value& container, const FieldPath& at) {
    check_container(container, known, at, problems);
  });
  each(spec, "initContainers", path, [&](const json::value& container, const FieldPath& at) {
    check_container(container, known, at, problems);
    check_init_container(container, at, problems);
  });
  check_one_of(spec, "dnsPolicy", path, {"ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"},
               problems);
  if (text_of(spec, "dnsPolicy") == "None" && !has(spec, "dnsConfig"))
    problems.required(path / "dnsConfig", "must provide `dnsConfig` when `dnsPolicy` is None");
  if (const auto* os = api::find_at(spec, "/os"))
    check_one_of(*os, "name", path, {"linux", "windows"}, "os", problems);
  check_one_of(spec, "preemptionPolicy", path, {"Never", "PreemptLowerPriority"}, problems);
  each(spec, "topologySpreadConstraints", path, [&](const json::value& constraint, const FieldPath& at) {
    for (const auto* field : {"nodeAffinityPolicy", "nodeTaintsPolicy"})
      check_one_of(constraint, field, at, {"Honor", "Ignore"}, problems);
  });
  if (!known.host_users) check_host_users(spec, path, problems);
  if (const auto account = text_of(spec, "serviceAccountName");
      !account.empty() && !api::is_dns_subdomain(account))
    problems.invalid(path / "serviceAccountName", account, api::kSubdomainError);
  check_tolerations(spec, path, problems);
  if (api::find_at(spec, "/resources/claims"))
    problems.forbidden(path / "resources.claims", "claims may not be set for Resources at pod-level");
}

void check_host_name(const json::value& spec, const FieldPath& path, Problems& problems) {
  check_label(spec, "hostname", path, problems);
  check_label(spec, "subdomain", path, problems);
}

}  // namespace podium::explain
