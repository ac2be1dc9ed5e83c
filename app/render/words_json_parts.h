// The parts of words_json.h: texts as JSON, and the words of drains.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "app/render/words_json.h"

namespace podium::render {

// The lines of a text, without empty ones.
boost::json::array lines_of(std::string_view text);
boost::json::array texts(const std::vector<std::string>& words);
// Sets a member unless it is empty.
void put(boost::json::object& out, const char* name, std::string words);
void put(boost::json::object& out, const char* name, boost::json::array words);

// An object for each change; only those of drains and failures have members.
boost::json::array change_words_json(const std::vector<explain::ChangeResult>& changes, const std::string& ns,
                                     const Asked& asked);
// Describes the drains whose nodes come back; empty if there are none.
boost::json::object rolling_words_json(const std::vector<explain::ChangeResult>& changes,
                                       const std::string& ns, const Asked& asked);

}  // namespace podium::render
