// SPDX-License-Identifier: Apache-2.0
// The one place where the version of numpact is written; CMake reads it from here.
#ifndef NUMPACT_VERSION_HPP
#define NUMPACT_VERSION_HPP

#define NUMPACT_VERSION_MAJOR 0
#define NUMPACT_VERSION_MINOR 1
#define NUMPACT_VERSION_PATCH 0

#if defined(NUMPACT_SHARED) && defined(__GNUC__)
#define NUMPACT_API __attribute__((visibility("default")))
#else
#define NUMPACT_API
#endif

#endif
