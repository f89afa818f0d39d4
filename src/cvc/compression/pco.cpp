// SPDX-License-Identifier: Apache-2.0
#include "cvc/compression/pco.hpp"
#include "base/internal.hpp"

namespace numpact::cvc::internal {
namespace {

std::optional<std::uint64_t> size(const Shape&, Dtype) { return std::nullopt; }

}  // namespace

const Codec kPcoCodec = {.compression = Compression::kPco,
                         .name = "pco",
                         .keeps_integers = true,
                         .size = size,
                         .prepare = prepare_pco,
                         .decode_runs = decode_pco,
                         .block = pco_block,
                         .checks_values = true,
                         .is_slow_to_prepare = true,
                         .plan = plan_of(plan_pco),
                         .encode = encode_of(encode_pco)};

}  // namespace numpact::cvc::internal
