// Names that resemble a mistyped one, and lists of names in words.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace podium {

// Levenshtein distance between a typed word and a known one.
std::size_t distance(std::string_view a, std::string_view b);

// True if the typed word may be the name with a typing error: two letters differ, of a typed word of up to
// four letters one, or two neighbours are swapped. A word of one or two letters resembles most others of its
// length, so the name has to begin with the same letter.
bool is_typo(std::string_view typed, std::string_view name);

// How many letters a name has more than the typed one if it begins with it, else their distance, where
// swapped neighbours count as one letter; nullopt: it is not a typo of the name.
std::optional<std::size_t> distance_if_similar(std::string_view typed, std::string_view name);

// The names that begin with the typed one, or that it may be a typo for, the nearest first; at most `most` of
// them. Allocates only for those.
std::vector<std::string> similar(std::string_view typed, std::span<const std::string_view> names,
                                 std::size_t most);
std::vector<std::string> similar(std::string_view typed, const std::vector<std::string>& names);

// "a, b and c"; at most `most` are named: "a, b and 4 more". `total` may be larger than the list.
std::string listed(const std::vector<std::string>& names, std::size_t most, std::size_t total = 0);

// "Did you mean a, b or c?", of the first three names. Empty: there is none.
std::string suggestion(const std::vector<std::string>& names);

}  // namespace podium
