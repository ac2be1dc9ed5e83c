// Splits JSON text into members or items, without building values and without recursion.
//
// Finds where values begin and end, at any depth; does not validate them. Pure. Threads: none of its own.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace podium::client {

// Calls each(key, value) for each member of a JSON object. Keys are raw, without their quotes. If the
// text ends within a value, the last call gets the incomplete value. False: not one complete object.
bool skim_members(std::string_view object,
                  const std::function<void(std::string_view key, std::string_view value)>& each);

// The same for the items of a JSON array.
bool skim_items(std::string_view list, const std::function<void(std::string_view item)>& each);

// The end of the value that begins at `at`; npos: it is incomplete.
std::size_t end_of_value(std::string_view text, std::size_t at);

}  // namespace podium::client
