// SPDX-License-Identifier: Apache-2.0
// Includes the whole library except numpact/cuda.
#pragma once

#include "numpact/config.hpp"
#include "numpact/cpu.hpp"
#if __has_include("numpact/cvc.hpp")  // not without vectors (NUMPACT_CVC)
#include "numpact/cvc.hpp"
#endif
#include "numpact/error.hpp"
#include "numpact/estimate.hpp"
#include "numpact/executor.hpp"
#include "numpact/file_access.hpp"
#include "numpact/file_lock.hpp"
#include "numpact/inspect.hpp"
#include "numpact/lossy.hpp"
#include "numpact/pco.hpp"
#include "numpact/random_access.hpp"
#include "numpact/stream.hpp"
#include "numpact/table.hpp"
#include "numpact/table_dataset.hpp"
#include "numpact/table_filter.hpp"
#include "numpact/table_reader.hpp"
#include "numpact/table_writer.hpp"
#include "numpact/trailer.hpp"
#include "numpact/types.hpp"
#include "numpact/version.hpp"
#include "numpact/wrapped.hpp"
