// SPDX-License-Identifier: Apache-2.0
// Encoding and decoding give the same bits in any floating-point environment of the caller, and
// restore that environment: rounding mode, flushing of subnormals, traps, exception flags, errno.
#include <gtest/gtest.h>

#include <cerrno>
#include <cfenv>
#include <limits>
#include <locale>
#include <numeric>

#include "../unit/targets.hpp"
#include "numpact/cvc.hpp"
#include "numpact/inspect.hpp"
#include "numpact/numpact.hpp"
#include "support/distributions.hpp"
#include "support/executors.hpp"
#include "support/small_files.hpp"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace numpact::testing {
namespace {

// A floating-point environment.
struct Environment {
  std::string name;
  int rounding = FE_TONEAREST;
  bool flushes = false;  // subnormals, as inputs and results
  bool traps = false;    // for every exception
  bool has_flags = true;
};

std::vector<Environment> environments() {
  std::vector<Environment> all = {{"to nearest"}};
  all.push_back({"to nearest, no flags", FE_TONEAREST, false, false, false});
#ifdef FE_UPWARD
  all.push_back({"upward", FE_UPWARD});
  all.push_back({"downward", FE_DOWNWARD});
  all.push_back({"toward zero", FE_TOWARDZERO});
#endif
#if defined(__x86_64__)
  all.push_back({"flushing", FE_TONEAREST, true});
  all.push_back({"trapping", FE_TONEAREST, false, true});
  all.push_back({"upward, flushing, trapping", FE_UPWARD, true, true});
#endif
  return all;
}

// Sets the environment of the calling thread; the destructor expects it unchanged and restores the
// original. Between the two only the library may compute with floats.
class Entered {
 public:
  explicit Entered(const Environment& environment) {
    std::fegetenv(&before_);
#if defined(__x86_64__)
    control_before_ = _mm_getcsr();
#endif
    std::feclearexcept(FE_ALL_EXCEPT);
    // One flag is set, so that both raised and cleared flags are detected.
    if (environment.has_flags) std::feraiseexcept(FE_OVERFLOW);
    std::fesetround(environment.rounding);
#if defined(__x86_64__)
    constexpr unsigned kFlush = 0x8040;
    constexpr unsigned kMasks = 0x1f80;
    constexpr unsigned kOverflow = 0x08;
    unsigned control = _mm_getcsr();
    // feraiseexcept() of glibc sets it in the x87 unit alone.
    if (environment.has_flags) control |= kOverflow;
    if (environment.flushes) control |= kFlush;
    if (environment.traps) control = (control & ~kMasks & ~0x3fU) | 0x20;
    _mm_setcsr(control);
    control_ = control;
#endif
    rounding_ = environment.rounding;
    flags_ = std::fetestexcept(FE_ALL_EXCEPT);
    errno = kErrorNumber;
  }
  ~Entered() {
    const int error_number = errno;
    const int rounding = std::fegetround();
    const int flags = std::fetestexcept(FE_ALL_EXCEPT);
#if defined(__x86_64__)
    const unsigned control = _mm_getcsr();
#endif
    std::fesetenv(&before_);
#if defined(__x86_64__)
    _mm_setcsr(control_before_);  // fesetenv() of MinGW leaves traps enabled
#endif
    EXPECT_EQ(error_number, kErrorNumber);
    EXPECT_EQ(rounding, rounding_);
    EXPECT_EQ(flags, flags_);
#if defined(__x86_64__)
    EXPECT_EQ(control, control_);
#endif
  }
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;

 private:
  static constexpr int kErrorNumber = 77;

  std::fenv_t before_;
  int rounding_;
  int flags_;
#if defined(__x86_64__)
  unsigned control_before_;
  unsigned control_;
#endif
};

template <class F>
void in_each_environment(const F& f) {
  for (const Environment& environment : environments()) {
    SCOPED_TRACE(environment.name);
    f(environment);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

std::vector<Numbers> columns() {
  Random random(77);
  std::vector<Numbers> all;
  for (const NumberType type : kNumberTypes) {
    for (int i = 0; i < 2; ++i) {
      all.push_back(make_numbers(random.pick(distribution_names()), type, 2000, random));
    }
  }
  std::vector<double> prices(5000);
  std::vector<double> subnormals(3000);
  std::vector<float> small(3000);
  for (double& price : prices) price = static_cast<double>(random.below(1000000)) * 0.01;
  for (double& value : subnormals) {
    value = static_cast<double>(random.below(1000)) * std::numeric_limits<double>::denorm_min();
  }
  for (float& value : small) {
    value = static_cast<float>(random.below(1 << 16)) * std::numeric_limits<float>::denorm_min();
  }
  all.push_back(from_values(prices));
  all.push_back(from_values(subnormals));
  all.push_back(from_values(small));
  return all;
}

// Some of the modes and deltas that apply, including the automatic choice.
std::vector<EncodeConfig> configs(NumberType type, Random& random) {
  std::vector<EncodeConfig> all(1);
  for (const ModeSpec& mode : mode_specs(type)) {
    EncodeConfig config;
    config.level = 4 + static_cast<unsigned>(random.below(5));
    config.mode = mode;
    config.delta = random.pick(delta_specs(type));
    all.push_back(config);
  }
  return all;
}

TEST(FloatEnvironment, PcoFilesAreTheSameInBothDirections) {
  for_each_target([] {
    Random random(5);
    for (const Numbers& numbers : columns()) {
      const NumberType type = numbers.view().type;
      for (const EncodeConfig& config : configs(type, random)) {
        SCOPED_TRACE(text(name_of(type), " ", describe(config)));
        Bytes expected;
        const Status before = compress(numbers.view(), config).into(expected);
        in_each_environment([&](const Environment& environment) {
          Bytes file;
          NumberArray decoded;
          Status encoding;
          Status decoding;
          {
            const Entered entered(environment);
            encoding = compress(numbers.view(), config).into(file);
            if (before.ok()) decoding = decompress_any(expected).into(decoded);
          }
          ASSERT_EQ(encoding.message(), before.message());
          ASSERT_TRUE(same_bytes(file, expected));
          if (!before.ok()) return;
          ASSERT_TRUE(decoding.ok()) << decoding.message();
          ASSERT_TRUE(same_bytes(raw(decoded), raw(numbers)));
        });
      }
    }
  });
}

// Random access, streams, wrapped pages, threads and executor tasks.
TEST(FloatEnvironment, OtherEntryPoints) {
  const Numbers numbers = columns()[2 * std::size(kNumberTypes)];
  EncodeConfig config;
  config.mode = ModeSpec::try_float_mult(0.01);
  config.paging = PagingSpec::equal_pages_up_to(1000);
  config.trailer = TrailerSpec::restarts(8);
  Bytes expected;
  ASSERT_OK(compress(numbers.view(), config).into(expected));
  in_each_environment([&](const Environment& environment) {
    for (const ExecutorCase& executor_case : executor_cases()) {
      SCOPED_TRACE(executor_case.name);
      Bytes file;
      NumberArray decoded;
      Status encoding;
      Status decoding;
      {
        const Entered entered(environment);
        encoding = compress(numbers.view(), with(executor_case, config)).into(file);
        decoding = decompress_any(file, with(executor_case, DecodeConfig{})).into(decoded);
      }
      EXPECT_OK(encoding);
      EXPECT_OK(decoding);
      EXPECT_TRUE(same_bytes(file, expected));
      EXPECT_TRUE(same_numbers(decoded, numbers));
    }
    Numbers read = zeros(numbers.type(), 700);
    Bytes streamed;
    Status statuses[6];
    {
      const Entered entered(environment);
      Result<FileReader> reader = FileReader::create(expected, DecodeConfig{});
      statuses[0] = reader.ok() ? reader.value().read(2300, writable(read)) : reader.status();
      VectorSink sink(streamed);
      StreamWriter writer(sink, numbers.type(), config);
      statuses[1] = writer.write(numbers.view());
      statuses[2] = writer.finish();
      std::uint64_t count = 0;
      statuses[3] = count_numbers(expected).into(count);
      Verification verification;
      statuses[4] = verify(expected).into(verification);
      Explanation explanation;
      statuses[5] = explain(numbers.view(), config).into(explanation);
    }
    for (const Status& status : statuses) EXPECT_OK(status);
    EXPECT_TRUE(
        same_bytes(raw(read), raw(numbers).subspan(2300 * sizeof(double), 700 * sizeof(double))));
    Numbers back = zeros(numbers.type(), numbers.count());
    std::size_t n = 0;
    EXPECT_OK(count_into(decompress_into(streamed, writable(back)), n));
    EXPECT_TRUE(same_numbers(back, numbers));
  });
}

TEST(FloatEnvironment, WrappedPages) {
  const Numbers numbers = columns()[2 * std::size(kNumberTypes)];
  EncodeConfig config;
  config.mode = ModeSpec::try_float_mult(0.01);
  config.paging = PagingSpec::equal_pages_up_to(1000);
  in_each_environment([&](const Environment& environment) {
    Numbers page = zeros(numbers.type(), 1000);
    Status status;
    {
      const Entered entered(environment);
      Result<wrapped::ChunkEncoder> encoder = wrapped::ChunkEncoder::create(numbers.view(), config);
      Result<wrapped::ChunkDecoder> decoder = wrapped::ChunkDecoder::create(
          encoder.value().meta().value(), numbers.type(), wrapped::kCurrentVersion);
      std::size_t consumed = 0;
      status = decoder.value()
                   .decode_page(encoder.value().page(2).value(), 1000, writable(page))
                   .into(consumed);
    }
    EXPECT_OK(status);
    EXPECT_TRUE(
        same_bytes(raw(page), raw(numbers).subspan(2000 * sizeof(double), 1000 * sizeof(double))));
  });
}

// Numbers in headers follow JSON, not the locale.
class CommaForPoint : public std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(FloatEnvironment, CvcFilesAreTheSameInBothDirections) {
  Random random(11);
  std::vector<float> rows(600 * 12);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] = static_cast<float>(random.below(200001)) * 1e-5f - 1;
    if (i % 97 == 0) rows[i] *= std::numeric_limits<float>::min();
  }
  for_each_target([&] {
    for (const cvc::Compression compression : cvc::kCompressions) {
      if (compression == cvc::Compression::kNone) continue;
      SCOPED_TRACE(cvc::name_of(compression));
      cvc::WriteConfig config;
      config.compression = compression;
      config.chunk_rows = 250;
      config.dimension = 12;
      const auto write = [&](Bytes& out) {
        Result<cvc::Writer> writer = cvc::Writer::create(out, config);
        const cvc::Rows all(std::span<const float>(rows), 12);
        return writer.ok() && writer.value().append(all).ok() && writer.value().finish().ok();
      };
      Bytes expected;
      ASSERT_TRUE(write(expected));
      const std::vector<float> values = cvc::Reader::create(expected).value().read_all().value();
      in_each_environment([&](const Environment& environment) {
        Bytes out;
        std::vector<float> got;
        bool written = false;
        {
          const Entered entered(environment);
          written = write(out);
          got = cvc::Reader::create(expected).value().read_all().value();
        }
        ASSERT_TRUE(written);
        ASSERT_TRUE(same_bytes(out, expected));
        ASSERT_TRUE(same_numbers(from_values(got), from_values(values)));
      });
      const std::locale old = std::locale::global(std::locale(std::locale(), new CommaForPoint));
      Bytes out;
      const bool written = write(out);
      const std::vector<float> got = cvc::Reader::create(expected).value().read_all().value();
      std::locale::global(old);
      ASSERT_TRUE(written);
      EXPECT_TRUE(same_bytes(out, expected));
      EXPECT_EQ(got.size(), values.size());
    }
  });
}

}  // namespace
}  // namespace numpact::testing
