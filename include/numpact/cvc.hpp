// SPDX-License-Identifier: Apache-2.0
// CVC files: collections of vectors in chunks, each compressed on its own (docs/format/cvc.md).
#pragma once

#include "numpact/cvc/reader.hpp"
#include "numpact/cvc/writer.hpp"
