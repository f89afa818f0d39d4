// SPDX-License-Identifier: Apache-2.0
// Returns from the enclosing function if a Status is an error.
#pragma once

#include "numpact/error.hpp"

#define NUMPACT_TRY(expression)                                \
  do {                                                         \
    const ::numpact::Status numpact_try_status = (expression); \
    if (!numpact_try_status.ok()) [[unlikely]]                 \
      return numpact_try_status;                               \
  } while (false)
