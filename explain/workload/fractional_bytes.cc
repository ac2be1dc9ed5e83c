#include "explain/workload/fractional_bytes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>

#include "api/text/json_view.h"
#include "api/values/quantity.h"
#include "base/field_path.h"

namespace podium::explain {
namespace {

namespace json = boost::json;

bool is_fractional(const json::value& amount) {
  const auto* text = amount.if_string();
  const auto quantity = text ? api::Quantity::parse({text->data(), text->size()}) : Result<api::Quantity>();
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();  // also of what is more
  return quantity && quantity->milli_value() < kMost && quantity->milli_value() % 1000 != 0;
}

}  // namespace

std::vector<std::string> fractional_bytes(const api::SortedObjects::Object& object) {
  std::vector<std::string> out;
  std::string pointer(object.maker ? object.maker->pod_template : "");
  pointer += "/spec";
  const auto* spec = api::find_at(object.value, pointer);
  if (!spec) return out;
  auto path = pointer.substr(1);
  std::ranges::replace(path, '/', '.');
  for (const auto* list : {"containers", "initContainers"}) {
    const auto* containers = api::find_at(*spec, fmt::format("/{}", list));
    if (!containers || !containers->is_array()) continue;
    for (std::size_t i = 0; i < containers->get_array().size(); ++i) {
      for (const auto* below :
           {"limits/memory", "requests/memory", "limits/ephemeral-storage", "requests/ephemeral-storage"}) {
        const auto* amount = api::find_at(containers->get_array()[i], fmt::format("/resources/{}", below));
        if (!amount || !is_fractional(*amount)) continue;
        std::string field(below);
        std::ranges::replace(field, '/', '.');
        const auto where = (FieldPath(path) / list)[i] / ("resources." + field);
        out.push_back(
            fmt::format("{}: {}: fractional byte value \"{}\" is invalid, must be an integer; \"m\" is for "
                        "thousandths, \"Mi\" for mebibytes",
                        object.place(where.text()), where.text(), std::string_view(amount->get_string())));
      }
    }
  }
  return out;
}

}  // namespace podium::explain
