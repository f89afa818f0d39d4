// SPDX-License-Identifier: Apache-2.0
// Returns from the enclosing function if a Status is an error.
#pragma once

#include "base/memory.hpp"
#include "numpact/error.hpp"

#ifndef NUMPACT_NO_EXCEPTIONS
#define NUMPACT_TRY(expression)                                \
  do {                                                         \
    const ::numpact::Status numpact_try_status = (expression); \
    if (!numpact_try_status.ok()) [[unlikely]]                 \
      return numpact_try_status;                               \
  } while (false)
#else
// Also if an allocation of the call has failed.
#define NUMPACT_TRY(expression)                                \
  do {                                                         \
    const ::numpact::Status numpact_try_status = (expression); \
    if (!numpact_try_status.ok()) [[unlikely]]                 \
      return numpact_try_status;                               \
    if (::numpact::internal::memory_has_failed()) [[unlikely]] \
      return ::numpact::internal::memory_failure();            \
  } while (false)
#endif
