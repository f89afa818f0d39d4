// SPDX-License-Identifier: Apache-2.0
// Pieces of any size, in and out, give what one call gives.
#include "common/encoding.hpp"
#include "common/guarded_buffer.hpp"
#include "common/patch.hpp"
#include "common/pco_checks.hpp"

namespace numpact::fuzz {
namespace {

// Hands out as many bytes as a sequence says.
class BlockSource final : public ByteSource {
 public:
  BlockSource(ByteSpan bytes, std::uint64_t max_bytes, std::uint64_t seed)
      : bytes_(bytes), max_bytes_(max_bytes), random_(seed) {}
  Result<std::size_t> read(std::span<std::byte> out) override {
    const std::size_t got =
        std::min({out.size(), bytes_.size(), std::size_t{1} + random_.below(max_bytes_)});
    std::copy_n(bytes_.begin(), got, out.begin());
    bytes_ = bytes_.subspan(got);
    return got;
  }

 private:
  ByteSpan bytes_;
  std::uint64_t max_bytes_;
  Sequence random_;
};

Decoded read_in_blocks(ByteSpan file, NumberType type, const DecodeConfig& config, Draw& draw) {
  BlockSource source(file, draw.between(1, 300), draw.bits(1));
  StreamReader reader(source, config);
  Decoded decoded;
  decoded.numbers = NumberArray(type);
  const std::uint64_t max_n = draw.between(1, 700);
  Sequence random(draw.bits(1));
  while (true) {
    const std::size_t n = 1 + random.below(max_n);
    const MutableNumberView out(type, guarded_output(n * size_of(type)).data(), n);
    std::size_t count = 0;
    decoded.status = count_into(reader.read(out), count);
    NUMPACT_REQUIRE(count <= n);
    const ByteSpan bytes = bytes_of({type, out.data, count});
    Bytes& all = decoded.numbers.storage();
    all.insert(all.end(), bytes.begin(), bytes.end());
    if (!decoded.status.ok()) {
      std::size_t none = 0;
      NUMPACT_REQUIRE(same_status(count_into(reader.read(out), none), decoded.status) && none == 0);
      break;
    }
    if (count < n) break;
  }
  NUMPACT_REQUIRE(reader.bytes_consumed() <= file.size());
  return decoded;
}

void check_reader(ByteSpan bytes, Draw& draw) {
  const ByteSpan file = guarded(bytes);
  FileHeader header;
  if (!read_header(file).into(header).ok() || !header.number_type) return;
  // Trailers are for those who see the end of the file.
  const Decoded all = decode(file, tight_config(TrailerPolicy::kIgnore));
  InTurn executor(3, draw.flag());
  DecodeConfig config = tight_config();
  if (draw.flag()) config.executor = &executor;
  const Decoded blocks = read_in_blocks(file, *header.number_type, config, draw);
  // Exceeded limits may be found before other errors.
  NUMPACT_REQUIRE(blocks.status.kind() == all.status.kind() ||
                  (!all.status.ok() && blocks.status.kind() == ErrorKind::kLimitExceeded));
  if (all.status.ok()) {
    NUMPACT_REQUIRE(same_numbers(blocks.numbers.view(), all.numbers.view()));
  } else {
    // A reader gives numbers of the chunk that turns out to be bad.
    NUMPACT_REQUIRE(is_prefix(all.numbers.view(), blocks.numbers.view()));
  }
}

void check_writer(const Encoded& encoded, Draw& draw) {
  const NumberArray& numbers = encoded.numbers;
  InTurn executor(3, draw.flag());
  EncodeConfig config = encoded.config;
  if (draw.flag()) config.executor = &executor;
  Bytes file;
  VectorSink sink(file);
  StreamWriter writer(sink, numbers.type(), config, numbers.count());
  const std::uint64_t max_n = draw.between(1, 2000);
  const bool may_end = draw.one_in(4) && !config.paging.exact_sizes();
  Sequence random(draw.bits(1));
  for (std::size_t done = 0; done < numbers.count();) {
    const std::size_t n = std::min(numbers.count() - done, std::size_t{random.below(max_n + 1)});
    NUMPACT_REQUIRE(writer.write(part(numbers, done, n)).ok());
    if (may_end && random.below(8) == 0) NUMPACT_REQUIRE(writer.end_chunk().ok());
    done += n;
  }
  NUMPACT_REQUIRE(writer.finish().ok());
  NUMPACT_REQUIRE(writer.bytes_written() == file.size());
  if (may_end || !config.paging.is_automatic()) {
    const Decoded all = decode(file);
    if (numbers.count() == 0 && !names_type(config)) return;
    NUMPACT_REQUIRE(all.status.ok() && same_numbers(all.numbers.view(), numbers.view()));
  } else {
    NUMPACT_REQUIRE(file == encoded.file);
  }
}

void run_pco_stream(ByteSpan input) {
  Draw draw(input);
  switch (draw.below(4)) {
    default: {
      Encoded encoded = draw_encoded(draw, 3000);
      patch(draw, encoded.file, 3);
      return check_reader(encoded.file, draw);
    }
    case 1:
      return check_reader(input, draw);
    case 2:
      return check_writer(draw_encoded(draw, 3000), draw);
  }
}

NUMPACT_FUZZ_TARGET(pco_stream, run_pco_stream)

}  // namespace
}  // namespace numpact::fuzz
