// The files of app/page/assets, which CMake writes into the program: app/page/embed.cmake.
//
// Threads: immutable. Errors: none.
#pragma once

#include <span>
#include <string_view>

namespace podium::app::page {

struct Asset {
  std::string_view name;  // below assets/
  std::string_view body;
};
std::span<const Asset> assets();

}  // namespace podium::app::page
