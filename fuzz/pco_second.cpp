// SPDX-License-Identifier: Apache-2.0
// The library and the second decoder say the same of any Pco file, and of wrapped parts.
#include "common/encoding.hpp"
#include "common/guarded_buffer.hpp"
#include "common/patch.hpp"
#include "second/compare.hpp"

namespace numpact::fuzz {
namespace {

using testing::Comparison;

constexpr std::uint64_t kMaxSecondNumbers = 1 << 14;

void require_same(const Comparison& comparison) {
  if (comparison.limited || comparison.difference.empty()) return;
  fail(__FILE__, __LINE__, comparison.difference.c_str());
}

void compare_wrapped(Draw& draw) {
  const NumberType type = draw_type(draw);
  const NumberArray numbers = draw_numbers(draw, type, 1500);
  const EncodeConfig config = draw_config(draw, type, numbers.count());
  Result<wrapped::ChunkEncoder> encoder = wrapped::ChunkEncoder::create(numbers.view(), config);
  if (!encoder.ok()) return;
  wrapped::DecodedHeader front;
  const Bytes header = wrapped::encode_file_header(config.compatibility);
  NUMPACT_REQUIRE(wrapped::decode_file_header(header).into(front).ok());
  const std::size_t index = draw.below(encoder->page_count());
  Bytes meta = encoder->meta().value();
  Bytes page = encoder->page(index).value();
  patch(draw, meta, 3);
  patch(draw, page, 3);
  testing::WrappedPage parts;
  parts.type = type;
  parts.version = {static_cast<std::uint8_t>(front.version.major),
                   static_cast<std::uint8_t>(front.version.minor)};
  parts.meta = guarded(meta);
  parts.page = guarded(page, Slot::kSecondFile);
  parts.n = draw.one_in(8) ? 1 + draw.below(3000) : encoder->page_n(index);
  require_same(testing::compare_wrapped(parts));
}

void run_pco_second(ByteSpan input) {
  Draw draw(input);
  switch (draw.below(4)) {
    default: {
      Encoded encoded = draw_encoded(draw, 1500, {.trailer = TrailerSpec::none()});
      patch(draw, encoded.file, 6);
      return require_same(testing::compare_pco(guarded(encoded.file), kMaxSecondNumbers));
    }
    case 1:
      return require_same(testing::compare_pco(guarded(input), kMaxSecondNumbers));
    case 2:
      return compare_wrapped(draw);
  }
}

NUMPACT_FUZZ_TARGET(pco_second, run_pco_second)

}  // namespace
}  // namespace numpact::fuzz
