# Headers of libraries that many files include, parsed once for each kind of room: docs/decisions/0009.
#
# podium_precompiled(TARGET KIND): KIND is `core` (rooms without Asio), `async`, or these for tests: `core_tests` and
# `async_tests`. The macros of a target must be those of its kind, or GCC does not take the parsed headers and warns.
set(core_headers <algorithm> <array> <atomic> <charconv> <chrono> <cstdint> <deque> <expected> <functional> <limits> <map> <memory> <mutex>
    <optional> <ranges> <set> <span> <string> <string_view> <tuple> <unordered_map> <utility> <variant> <vector> <fmt/format.h>
    <fmt/ranges.h> <boost/container/small_vector.hpp> <boost/json/array.hpp> <boost/json/object.hpp> <boost/json/parse.hpp>
    <boost/json/serialize.hpp> <boost/json/value.hpp> <boost/unordered/unordered_flat_map.hpp> <boost/unordered/unordered_flat_set.hpp>)
set(async_headers ${core_headers} <filesystem> <iostream> <boost/asio/any_io_executor.hpp> <boost/asio/cancellation_signal.hpp>
    <boost/asio/co_spawn.hpp> <boost/asio/io_context.hpp> <boost/asio/ip/tcp.hpp> <boost/asio/post.hpp> <boost/asio/redirect_error.hpp>
    <boost/asio/steady_timer.hpp> <boost/asio/strand.hpp> <boost/asio/this_coro.hpp> <boost/asio/use_awaitable.hpp>)
set(test_headers <gmock/gmock.h> <gtest/gtest.h>)

# podium_precompiled_kind(KIND HEADERS LIBRARY…): the libraries give the macros. KIND_small has the same headers, for rooms that are
# compiled for size: GCC does not take headers that were parsed for another -O.
function(podium_precompiled_kind kind headers)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/precompiled_${kind}.cc CONTENT "")
  foreach(name ${kind} ${kind}_small)
    add_library(podium_precompiled_${name} OBJECT EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/precompiled_${kind}.cc)
    target_link_libraries(podium_precompiled_${name} PRIVATE ${ARGN})
    target_precompile_headers(podium_precompiled_${name} PRIVATE ${headers})
  endforeach()
  target_compile_options(podium_precompiled_${kind}_small PRIVATE -Os)
endfunction()

# KIND may be empty: none.
function(podium_precompiled target kind)
  if(kind)
    target_precompile_headers(${target} REUSE_FROM podium_precompiled_${kind})
  endif()
endfunction()

# podium_kind_of(VARIABLE LIBRARY…): the kind of a target that links these; empty: none, since it links no Boost.JSON.
function(podium_kind_of variable)
  set(kind "")
  foreach(library ${ARGN})
    get_property(its GLOBAL PROPERTY podium_kind_of_${library})
    if(its STREQUAL "async")
      set(kind async)
    elseif(NOT kind AND (its OR library STREQUAL "Boost::json"))
      set(kind core)
    endif()
  endforeach()
  set(${variable} "${kind}" PARENT_SCOPE)
endfunction()
