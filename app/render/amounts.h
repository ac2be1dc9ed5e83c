// Amounts of resources as people write them: "500m" and "54.25" cpu, "2.75Gi", "63.8Gi".
//
// A whole CPU or more is decimal. Bytes have the largest binary unit that fits, and at most two digits after
// the point. Other resources, and text that is no quantity, stay as they are.
// Threads: pure functions. Errors: none.
#pragma once

#include <string>
#include <string_view>

#include "api/quantity.h"

namespace podium::render {

// Never less than the amount: for what is missing.
std::string rounded_up(std::string_view resource, const std::string& quantity);

// Never more than the amount: for what is free.
std::string rounded_down(std::string_view resource, const api::Quantity& quantity);

// In the largest unit in which two digits after the point are exact.
std::string exact(std::string_view resource, const api::Quantity& quantity);

// "500m of 3.2". What is free is rounded down, but never below a request that it is enough for.
std::string requested_of_free(std::string_view resource, const std::string& requested,
                              const std::string& free);

}  // namespace podium::render
