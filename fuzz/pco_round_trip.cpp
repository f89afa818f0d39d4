// SPDX-License-Identifier: Apache-2.0
// Numbers x type x config: whatever is encoded comes back, by every way of encoding.
#include "common/encoding.hpp"
#include "common/guarded_buffer.hpp"
#include "common/pco_checks.hpp"

namespace numpact::fuzz {
namespace {

void check_into(const Encoded& encoded) {
  const NumberView numbers = encoded.numbers.view();
  const std::size_t bound = compress_bound(numbers.type, numbers.count, encoded.config);
  NUMPACT_REQUIRE(encoded.file.size() <= bound);
  const std::span<std::byte> out = guarded_output(bound);
  std::size_t written = 0;
  NUMPACT_REQUIRE(compress_into(numbers, out, encoded.config).into(written).ok());
  NUMPACT_REQUIRE(testing::same_bytes(out.first(written), encoded.file));
}

void check_shared(const Encoded& encoded, Draw& draw) {
  InTurn executor(2 + static_cast<unsigned>(draw.below(3)), draw.flag());
  EncodeConfig config = encoded.config;
  config.executor = &executor;
  Bytes file;
  NUMPACT_REQUIRE(compress(encoded.numbers.view(), config).into(file).ok());
  NUMPACT_REQUIRE(file == encoded.file);
}

// Pages of a wrapped chunk, the last one first.
void check_wrapped(const Encoded& encoded) {
  const NumberType type = encoded.numbers.type();
  Result<wrapped::ChunkEncoder> encoder =
      wrapped::ChunkEncoder::create(encoded.numbers.view(), encoded.config);
  if (!encoder.ok()) {
    NUMPACT_REQUIRE(encoder.status().kind() == ErrorKind::kInvalidArgument);
    return;
  }
  wrapped::DecodedHeader front;
  std::size_t consumed = 0;
  const Bytes header = wrapped::encode_file_header(encoded.config.compatibility);
  NUMPACT_REQUIRE(wrapped::decode_file_header(header).into(front).ok());
  const Bytes meta = encoder->meta().value();
  Result<wrapped::ChunkDecoder> decoder =
      wrapped::ChunkDecoder::create(guarded(meta), type, front.version);
  NUMPACT_REQUIRE(decoder.ok() && decoder->meta_size() == meta.size());
  std::size_t end = encoded.numbers.count();
  for (std::size_t i = encoder->page_count(); i-- > 0;) {
    const std::size_t n = encoder->page_n(i);
    const Bytes page = encoder->page(i).value();
    const MutableNumberView out(type, guarded_output(n * size_of(type)).data(), n);
    NUMPACT_REQUIRE(decoder->decode_page(guarded(page), n, out).into(consumed).ok());
    NUMPACT_REQUIRE(consumed == page.size());
    NUMPACT_REQUIRE(same_numbers({type, out.data, n}, part(encoded.numbers, end - n, n)));
    end -= n;
  }
  NUMPACT_REQUIRE(end == 0);
}

void run_pco_round_trip(ByteSpan input) {
  Draw draw(input);
  const Encoded encoded = draw_encoded(draw, 4096);
  const NumberView numbers = encoded.numbers.view();
  Decoded all = decode(guarded(encoded.file));
  if (!names_type(encoded.config) && numbers.count == 0) {
    NUMPACT_REQUIRE(all.status.kind() == ErrorKind::kTypeMismatch);
    return;
  }
  NUMPACT_REQUIRE(all.status.ok() && same_numbers(all.numbers.view(), numbers));
  check_into(encoded);
  check_shared(encoded, draw);
  check_wrapped(encoded);
}

NUMPACT_FUZZ_TARGET(pco_round_trip, run_pco_round_trip)

}  // namespace
}  // namespace numpact::fuzz
