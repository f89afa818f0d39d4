// SPDX-License-Identifier: Apache-2.0
// pco: a grid of wrapped Pco chunks (pco_payload.hpp).
#pragma once

#include "base/internal.hpp"
#include "cvc/compression/codec.hpp"

namespace numpact::cvc::internal {

Status prepare_pco(const Encoded& encoded, Prepared& prepared);
Status decode_pco(const Prepared& prepared, std::span<const RowRun> runs,
                  std::uint64_t first_dimension, const MutableRows& out);
Block pco_block(const Prepared& prepared);

// Encodes the whole payload, because its size is needed; encode_pco only copies it.
Status plan_pco(const Source& source, const EncodeRules& rules, Plan& plan);
Status encode_pco(const Source& source, const Plan& plan, BlockSink& sink);

}  // namespace numpact::cvc::internal
