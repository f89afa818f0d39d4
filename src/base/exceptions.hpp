// SPDX-License-Identifier: Apache-2.0
// The few places that catch exceptions, also compiled without them (NUMPACT_NO_EXCEPTIONS, with
// -fno-exceptions): there nothing is thrown, and memory.hpp describes the alternative.
#pragma once

#ifdef NUMPACT_NO_EXCEPTIONS
#define NUMPACT_TRY_BLOCK if constexpr (true)
#define NUMPACT_CATCH_ALL else
#define NUMPACT_RETHROW ((void)0)
#else
#define NUMPACT_TRY_BLOCK try
#define NUMPACT_CATCH_ALL catch (...)
#define NUMPACT_RETHROW throw
#endif
