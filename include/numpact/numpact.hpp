// SPDX-License-Identifier: Apache-2.0
// Includes the whole library except numpact/cuda.
#ifndef NUMPACT_NUMPACT_HPP
#define NUMPACT_NUMPACT_HPP

#include "numpact/config.hpp"
#include "numpact/cpu.hpp"
#include "numpact/cvc.hpp"
#include "numpact/error.hpp"
#include "numpact/executor.hpp"
#include "numpact/explain.hpp"
#include "numpact/file_lock.hpp"
#include "numpact/inspect.hpp"
#include "numpact/lock_config.hpp"
#include "numpact/mapped_file.hpp"
#include "numpact/pco.hpp"
#include "numpact/random_access.hpp"
#include "numpact/range_source.hpp"
#include "numpact/stream.hpp"
#include "numpact/trailer.hpp"
#include "numpact/types.hpp"
#include "numpact/version.hpp"
#include "numpact/wrapped.hpp"

#endif
