# A static build (PODIUM_STATIC): the archives that podium's programs link in place of shared libraries.
# OpenSSL, Boost, yaml-cpp and RE2 have archives in their Debian packages. fmt, prometheus-cpp and mimalloc are
# compiled from their Debian sources, which tools/static/sources.sh unpacks. docs/decisions/0011-image.md says
# why.
set(sources ${PROJECT_SOURCE_DIR}/.cache/sources)
foreach(file fmtlib/src/format.cc prometheus-cpp/core/src/registry.cc mimalloc/.version)
  if(NOT EXISTS ${sources}/${file})
    message(FATAL_ERROR "A static build needs .cache/sources/${file}. "
                        "Run tools/static/sources.sh, or use -DPODIUM_STATIC=OFF.")
  endif()
endforeach()

enable_language(C)
if(CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
endif()

# podium_compiled(NAME TYPE FILE…): a library of other people's sources, each compiled by itself and without
# warnings.
function(podium_compiled name type)
  add_library(${name} ${type} EXCLUDE_FROM_ALL ${ARGN})
  set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)
  target_compile_options(${name} PRIVATE -w)
  # As Debian compiles them; asserts would also name files.
  target_compile_definitions(${name} PRIVATE NDEBUG)
endfunction()

podium_compiled(static_fmt STATIC ${sources}/fmtlib/src/format.cc)
set(core ${sources}/prometheus-cpp/core/src)
file(GLOB prometheus_sources ${core}/*.cc ${core}/detail/*.cc)
podium_compiled(static_prometheus STATIC ${prometheus_sources})
# The headers come from the Debian packages, which have the generated ones too.
target_link_libraries(static_prometheus PUBLIC Threads::Threads)

find_library(yaml_archive libyaml-cpp.a NO_CACHE REQUIRED)
add_library(static_yaml STATIC IMPORTED)
set_target_properties(static_yaml PROPERTIES IMPORTED_LOCATION ${yaml_archive})

# What the archive needs comes from pkg-config: nothing on Debian 12, Abseil's archives later.
find_library(re2_archive libre2.a NO_CACHE REQUIRED)
add_library(static_re2 STATIC IMPORTED)
set(re2_needs ${RE2_STATIC_LIBRARIES})
list(REMOVE_ITEM re2_needs re2)
set_target_properties(static_re2 PROPERTIES IMPORTED_LOCATION ${re2_archive}
                                            INTERFACE_LINK_LIBRARIES "${re2_needs}")

# One object that defines malloc, so that the linker takes no other. Without its sources the C library's malloc serves: slower,
# but the program works.
if(EXISTS ${sources}/mimalloc/src/static.c)
  podium_compiled(static_mimalloc OBJECT ${sources}/mimalloc/src/static.c)
  target_include_directories(static_mimalloc PRIVATE ${sources}/mimalloc/include)
  target_compile_definitions(static_mimalloc PRIVATE MI_MALLOC_OVERRIDE)
  target_compile_options(static_mimalloc PRIVATE -O3 -fvisibility=hidden -ftls-model=initial-exec
                         -fno-builtin-malloc)
else()
  message(STATUS "podium is linked without mimalloc, whose sources are missing")
  set(PODIUM_MIMALLOC OFF)
endif()

# A room that uses the library links the archive. The installed package names the library, which its users
# have.
foreach(pair fmt::fmt=static_fmt prometheus-cpp::core=static_prometheus yaml-cpp=static_yaml
        PkgConfig::RE2=static_re2)
  string(REPLACE "=" ";" pair ${pair})
  list(GET pair 0 library)
  list(GET pair 1 archive)
  set_property(GLOBAL PROPERTY podium_archive_of_${library} ${archive})
endforeach()
