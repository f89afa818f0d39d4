// SPDX-License-Identifier: Apache-2.0
// Every instruction set gives the numbers, errors and bytes of portable code.
#include "common/encoding.hpp"
#include "common/guarded_buffer.hpp"
#include "common/patch.hpp"
#include "common/pco_checks.hpp"
#include "numpact/cpu.hpp"

namespace numpact::fuzz {
namespace {

const std::vector<std::string>& supported_targets() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> found;
    for (const CpuTarget& target : cpu_targets()) {
      if (target.supported) found.emplace_back(target.name);
    }
    return found;
  }();
  return names;
}

// Every processor has it: scalar code, or with newer versions of Highway the vectors of the
// baseline.
const std::string& portable_target() { return supported_targets().back(); }

void use(const std::string& target) { NUMPACT_REQUIRE(force_cpu_target(target).ok()); }

void check_decoding(ByteSpan bytes) {
  const ByteSpan file = guarded(bytes);
  use(portable_target());
  const Decoded portable = decode(file);
  for (const std::string& target : supported_targets()) {
    use(target);
    const Decoded decoded = decode(file);
    NUMPACT_REQUIRE(same_status(decoded.status, portable.status));
    NUMPACT_REQUIRE(same_numbers(decoded.numbers.view(), portable.numbers.view()));
  }
}

void check_encoding(const Encoded& encoded) {
  for (const std::string& target : supported_targets()) {
    use(target);
    Bytes file;
    NUMPACT_REQUIRE(compress(encoded.numbers.view(), encoded.config).into(file).ok());
    NUMPACT_REQUIRE(file == encoded.file);
  }
}

void run_pco_targets(ByteSpan input) {
  use(portable_target());
  Draw draw(input);
  switch (draw.below(4)) {
    default: {
      Encoded encoded = draw_encoded(draw, 3000);
      if (draw.flag()) patch(draw, encoded.file, 3);
      check_decoding(encoded.file);
      break;
    }
    case 1:
      check_decoding(input);
      break;
    case 2:
      check_encoding(draw_encoded(draw, 2000));
      break;
  }
  use("auto");
}

NUMPACT_FUZZ_TARGET(pco_targets, run_pco_targets)

}  // namespace
}  // namespace numpact::fuzz
