// SPDX-License-Identifier: Apache-2.0
// Defines the version of numpact; CMake reads it from here.
#pragma once

#if (defined(_MSVC_LANG) ? _MSVC_LANG : __cplusplus) < 202002L
#error "numpact needs C++20: compile with -std=c++20 (GCC 12, clang 15 or later)"
// There is no such file: a missing include stops compilers at once, where #error does not.
#include <numpact-needs-cpp20>
#endif

#define NUMPACT_VERSION_MAJOR 0
#define NUMPACT_VERSION_MINOR 1
#define NUMPACT_VERSION_PATCH 0

#if !defined(NUMPACT_API) && defined(NUMPACT_SHARED) && defined(_WIN32)
#define NUMPACT_API __declspec(dllimport)
#elif !defined(NUMPACT_API) && defined(NUMPACT_SHARED)
#define NUMPACT_API __attribute__((visibility("default")))
#elif !defined(NUMPACT_API)
#define NUMPACT_API
#endif
