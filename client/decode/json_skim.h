// Passes over JSON text without building it and without recursion, however deep it is nested.
//
// It finds where the values in an object or a list begin and end; whether each is valid is for whoever parses
// it. Pure. Threads: none of its own.
#pragma once

#include <functional>
#include <string_view>

namespace podium::client {

// Calls each(key, value) for the members of the object that the text is; keys are as written, without their
// quotes. Where the text ends within a value, what there is of it comes as the last. False: the text is not
// one whole object.
bool skim_members(std::string_view object,
                  const std::function<void(std::string_view key, std::string_view value)>& each);

// The same for the items of a list.
bool skim_items(std::string_view list, const std::function<void(std::string_view item)>& each);

}  // namespace podium::client
