// Leaves metadata.managedFields out of an object's text. They are up to half of a pod, and podium does not
// read those of the cluster's objects.
//
// Threads: a pure function. Errors: none; text of another form stays as it is.
#pragma once

#include <string>
#include <string_view>

namespace podium::client {

// `text`: an object, or a watch event with one, as the API server writes it. Returns `text`, or `buffer` with
// what is left.
std::string_view without_managed_fields(std::string_view text, std::string& buffer);

}  // namespace podium::client
