// The name that podium's writes have in metadata.managedFields.
//
// Threads: a constant. Errors: none.
#pragma once

namespace podium::client {

inline constexpr const char* kFieldManager = "podium";

}  // namespace podium::client
