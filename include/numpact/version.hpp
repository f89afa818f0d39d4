// SPDX-License-Identifier: Apache-2.0
// Defines the version of numpact; CMake reads it from here.
#pragma once

#if (defined(_MSVC_LANG) ? _MSVC_LANG : __cplusplus) < 202002L
#error "numpact needs C++20: compile with -std=c++20 (GCC 12, clang 15 or later)"
// This file does not exist: unlike #error, a missing include stops compilers at once, without
// hundreds of follow-up messages.
#include <numpact-needs-cpp20>
#endif

#define NUMPACT_VERSION_MAJOR 0
#define NUMPACT_VERSION_MINOR 1
#define NUMPACT_VERSION_PATCH 0

// NUMPACT_SHARED: the library is a shared one; NUMPACT_BUILDS_SHARED: this compiles it.
#if !defined(NUMPACT_SHARED)
#define NUMPACT_API
#elif defined(_WIN32) && defined(NUMPACT_BUILDS_SHARED)
#define NUMPACT_API __declspec(dllexport)
#elif defined(_WIN32)
#define NUMPACT_API __declspec(dllimport)
#elif defined(__GNUC__)
#define NUMPACT_API __attribute__((visibility("default")))
#else
#define NUMPACT_API
#endif
