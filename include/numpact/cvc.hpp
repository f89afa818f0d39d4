// SPDX-License-Identifier: Apache-2.0
// CVC files: collections of vectors in chunks, each compressed on its own (docs/format/cvc.md).
#ifndef NUMPACT_CVC_HPP
#define NUMPACT_CVC_HPP

#include "numpact/cvc/reader.hpp"
#include "numpact/cvc/types.hpp"
#include "numpact/cvc/writer.hpp"

#endif
