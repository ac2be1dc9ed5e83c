// json_memory(): memory for JSON values that other people wrote.
//
// boost::json finds a key of an object by a hash of the key and of the address of the object's table. Large
// blocks of malloc begin at addresses whose lower bits are always the same, so that anyone can write 60,000
// keys that all have one hash: such an object of 1 MB took 16 s to parse. Here the lower bits of a large
// table's address are random.
// Threads: any. Errors: none.
#pragma once

#include <boost/json/memory_resource.hpp>
#include <boost/json/storage_ptr.hpp>
#include <cstddef>

namespace podium::api {

boost::json::storage_ptr json_memory();

// For other memory for JSON: from this size on, a table begins random_shift() bytes after its block.
inline constexpr std::size_t kShiftedJson = 32 * 1024, kMostJsonShift = 32 * 1024;
std::size_t random_shift();  // a multiple of 16, from 16 to kMostJsonShift

}  // namespace podium::api
