#include "explain/workload/validate_claim.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "api/text/json_view.h"
#include "api/validate/validate.h"
#include "api/values/quantity.h"

namespace podium::explain {
namespace {

namespace json = boost::json;

void check_modes(const json::value& claim, const FieldPath& at, Problems& problems) {
  constexpr std::array<std::string_view, 4> kModes = {"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce",
                                                      "ReadWriteOncePod"};
  const auto* modes = api::find_at(claim, "/spec/accessModes");
  if (!modes || !modes->is_array() || modes->get_array().empty())
    return problems.required(at, "at least 1 access mode is required");
  bool is_exclusive = false;
  for (const auto& mode : modes->get_array()) {
    const auto* text = mode.if_string();
    if (!text) continue;  // reported as a wrong type
    const std::string_view given(*text);
    is_exclusive |= given == "ReadWriteOncePod";
    if (std::ranges::find(kModes, given) == kModes.end()) problems.not_supported(at, given, kModes);
  }
  if (is_exclusive && modes->get_array().size() > 1)
    problems.forbidden(at, "may not use ReadWriteOncePod with other access modes");
}

void check_storage(const json::value& claim, const FieldPath& at, Problems& problems) {
  const auto* storage = api::find_at(claim, "/spec/resources/requests/storage");
  if (!storage) return problems.required(at);
  const auto* text = storage->if_string();
  if (!text) return;
  const auto quantity = api::Quantity::parse(std::string_view(*text));
  if (quantity && *quantity <= api::Quantity())
    problems.invalid(at, std::string_view(*text), kNotPositiveError);
}

}  // namespace

void check_claim_spec(const json::value& claim, const FieldPath& path, Problems& problems) {
  const auto at = path / "spec";
  check_modes(claim, at / "accessModes", problems);
  check_storage(claim, at / "resources[storage]", problems);
  if (const auto name = api::text_at(claim, "/spec/storageClassName");
      !name.empty() && !api::is_dns_subdomain(name))
    problems.invalid(at / "storageClassName", name, api::kSubdomainError);
  if (const auto mode = api::text_at(claim, "/spec/volumeMode");
      !mode.empty() && mode != "Block" && mode != "Filesystem")
    problems.not_supported(at / "volumeMode", mode, {"Block", "Filesystem"});
}

}  // namespace podium::explain
