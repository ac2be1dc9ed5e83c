// Amounts of resources as people write them: "500m" and "54.25" cpu, "2.75Gi", "63.8Gi".
//
// A whole CPU or more is decimal. Bytes have the largest binary unit that fits, and at most two digits after
// the point. Other resources, and text that is not a quantity, do not change.
// Threads: pure functions. Errors: none.
#pragma once

#include <string>
#include <string_view>

namespace podium::api {
class Quantity;
}

namespace podium::render {

// Rounds up: for missing amounts.
std::string rounded_up(std::string_view resource, const std::string& quantity);

// Rounds down: for free amounts.
std::string rounded_down(std::string_view resource, const api::Quantity& quantity);

// As kubectl writes it: "1500m", "1536Mi", "1G".
std::string exact(std::string_view resource, const api::Quantity& quantity);

// "500m of 3.2". Rounds the free amount down, but never below a request that it satisfies.
std::string requested_of_free(std::string_view resource, const std::string& requested,
                              const std::string& free);

}  // namespace podium::render
