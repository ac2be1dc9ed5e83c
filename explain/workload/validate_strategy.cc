#include "explain/workload/validate_strategy.h"

#include <fmt/format.h>

#include <boost/json/serialize.hpp>
#include <cstdint>
#include <string>
#include <string_view>

#include "api/text/json_view.h"
#include "api/values/decimal.h"

namespace podium::explain {
namespace {

namespace json = boost::json;

// A number, or a percentage.
struct Amount {
  std::string text;
  std::int64_t value = 0;
  bool is_percent = false, is_valid = true;
};

Amount read_amount(const json::value* given, Amount or_else) {
  if (!given) return or_else;
  if (given->is_int64()) return {fmt::to_string(given->get_int64()), given->get_int64()};
  const auto* text = given->if_string();
  if (!text) return or_else;  // reported as a wrong type
  const std::string_view written(*text);
  const auto share = api::percentage(written);
  return {.text = fmt::format("\"{}\"", written),
          .value = share.value_or(0),
          .is_percent = true,
          .is_valid = share && *share >= 0};
}

void check_amount(const Amount& amount, const FieldPath& at, Problems& problems) {
  if (!amount.is_valid)
    problems.invalid(at, ShownValue::as_is(amount.text), "must be an integer or percentage (e.g '5%')");
  else if (amount.value < 0)
    problems.invalid(at, ShownValue::as_is(amount.text), kNegativeError);
}

void check_share(const Amount& amount, const FieldPath& at, Problems& problems) {
  if (amount.is_valid && amount.is_percent && amount.value > 100)
    problems.invalid(at, ShownValue::as_is(amount.text), "must not be greater than 100%");
}

}  // namespace

void check_deployment_strategy(const json::value& spec, const FieldPath& path, Problems& problems) {
  const auto type = api::text_at(spec, "/strategy/type");
  const auto at = path / "strategy";
  if (type == "Recreate") {
    if (api::find_at(spec, "/strategy/rollingUpdate"))
      problems.forbidden(at / "rollingUpdate", "may not be specified when strategy `type` is 'Recreate'");
    return;
  }
  if (!type.empty() && type != "RollingUpdate")
    return problems.not_supported(at, type, {"Recreate", "RollingUpdate"});
  const Amount quarter{.text = "25%", .value = 25, .is_percent = true};
  const auto unavailable = read_amount(api::find_at(spec, "/strategy/rollingUpdate/maxUnavailable"), quarter);
  const auto surge = read_amount(api::find_at(spec, "/strategy/rollingUpdate/maxSurge"), quarter);
  check_amount(unavailable, at / "rollingUpdate.maxUnavailable", problems);
  check_amount(surge, at / "rollingUpdate.maxSurge", problems);
  if (unavailable.value == 0 && surge.value == 0 && unavailable.is_valid && surge.is_valid)
    problems.invalid(at / "rollingUpdate.maxUnavailable", ShownValue::as_is(unavailable.text),
                     "may not be 0 when `maxSurge` is 0");
  check_share(unavailable, at / "rollingUpdate.maxUnavailable", problems);
}

void check_stateful_set_strategy(const json::value& spec, const FieldPath& path, Problems& problems) {
  const auto type = api::text_at(spec, "/updateStrategy/type");
  const auto at = path / "updateStrategy";
  const auto* update = api::find_at(spec, "/updateStrategy/rollingUpdate");
  if (type == "OnDelete") {
    if (update)
      problems.invalid(at / "rollingUpdate", ShownValue::as_is(json::serialize(*update)),
                       "only allowed for updateStrategy 'RollingUpdate'");
    return;
  }
  if (!type.empty() && type != "RollingUpdate")
    return problems.invalid(at, ShownValue::as_is(json::serialize(*api::find_at(spec, "/updateStrategy"))),
                            "must be 'RollingUpdate' or 'OnDelete'");
  if (!update) return;
  if (const auto partition = api::integer_at(*update, "/partition"); partition && *partition < 0)
    problems.invalid(at / "rollingUpdate.partition", *partition, kNegativeError);
  if (!api::find_at(*update, "/maxUnavailable")) return;
  const auto unavailable = read_amount(api::find_at(*update, "/maxUnavailable"), {.text = "1", .value = 1});
  const auto of_unavailable = at / "rollingUpdate.maxUnavailable";
  check_amount(unavailable, of_unavailable, problems);
  if (unavailable.is_valid && unavailable.value == 0)
    problems.invalid(of_unavailable, ShownValue::as_is(unavailable.text), "cannot be 0");
  check_share(unavailable, of_unavailable, problems);
}

void check_daemon_set_strategy(const json::value& spec, const FieldPath& path, Problems& problems) {
  const auto type = api::text_at(spec, "/updateStrategy/type");
  const auto at = path / "updateStrategy";
  if (type == "OnDelete") return;
  if (!type.empty() && type != "RollingUpdate")
    return problems.not_supported(at, type, {"RollingUpdate", "OnDelete"});
  const auto unavailable = read_amount(api::find_at(spec, "/updateStrategy/rollingUpdate/maxUnavailable"),
                                       {.text = "1", .value = 1});
  const auto surge =
      read_amount(api::find_at(spec, "/updateStrategy/rollingUpdate/maxSurge"), {.text = "0", .value = 0});
  for (const auto& [amount, field] : {std::pair(&unavailable, "rollingUpdate.maxUnavailable"),
                                      std::pair(&surge, "rollingUpdate.maxSurge")}) {
    check_amount(*amount, at / field, problems);
    check_share(*amount, at / field, problems);
  }
  if (!unavailable.is_valid || !surge.is_valid) return;
  if (unavailable.value != 0 && surge.value != 0)
    problems.invalid(at / "rollingUpdate.maxSurge", ShownValue::as_is(surge.text),
                     "may not be set when maxUnavailable is non-zero");
  if (unavailable.value == 0 && surge.value == 0)
    problems.required(at / "rollingUpdate.maxUnavailable", "cannot be 0 when maxSurge is 0");
}

}  // namespace podium::explain
