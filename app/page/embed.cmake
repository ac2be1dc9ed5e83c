# Writes OUT, a C++ file with the files FILES of folder FROM: cmake -D FROM=… -D OUT=… -D FILES=a;b -P embed.cmake.
# GCC 12 has no #embed.
set(arrays "")
set(table "")
set(number 0)
foreach(name IN LISTS FILES)
  file(READ ${FROM}/${name} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${hex}")
  string(APPEND arrays "constexpr char kAsset${number}[] = {${bytes}};\n")
  string(APPEND table "    {\"${name}\", {kAsset${number}, sizeof kAsset${number}}},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUT} "#include \"app/page/asset.h\"

namespace podium::app::page {
namespace {
${arrays}
constexpr Asset kAssets[] = {
${table}};
}  // namespace

std::span<const Asset> assets() { return kAssets; }

}  // namespace podium::app::page
")
