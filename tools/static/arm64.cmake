# A CMake toolchain for an arm64 program that is built on another machine: Debian's cross compiler, with the headers and
# archives that tools/static/sysroot.sh has unpacked. The cross compiler brings a C library and a C++ library of its own, which
# get no security updates of Debian; nothing of them is used.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
get_filename_component(CMAKE_SYSROOT ${CMAKE_CURRENT_LIST_DIR}/../../.cache/sysroot/arm64 ABSOLUTE)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind INCLUDE LIBRARY PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
set(ENV{PKG_CONFIG_LIBDIR} ${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig)

# The one version of GCC's libraries that the packages need.
file(GLOB runtime ${CMAKE_SYSROOT}/usr/lib/gcc/aarch64-linux-gnu/*)
get_filename_component(gcc "${runtime}" NAME)
foreach(folder usr/include/c++/${gcc} usr/include/aarch64-linux-gnu/c++/${gcc} usr/include/c++/${gcc}/backward)
  string(APPEND cxx_headers " -isystem ${CMAKE_SYSROOT}/${folder}")
endforeach()
foreach(folder usr/lib/gcc/aarch64-linux-gnu/${gcc}/include usr/include/aarch64-linux-gnu usr/include)
  string(APPEND c_headers " -isystem ${CMAKE_SYSROOT}/${folder}")
endforeach()
# Objects name the headers as if they were installed, with the compiler cache's relative paths and without.
set(names "-ffile-prefix-map=${CMAKE_SYSROOT}= -ffile-prefix-map=../../.cache/sysroot/arm64=")
set(CMAKE_C_FLAGS_INIT "-nostdinc${c_headers} ${names}")
set(CMAKE_CXX_FLAGS_INIT "-nostdinc${cxx_headers}${c_headers} ${names}")
# -B comes before the compiler's own folders.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-B${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu -B${runtime}")
