// SPDX-License-Identifier: Apache-2.0
// The kernels for whole batches, which walk codes ahead of the offsets, on every target against a
// naive decoder.
#include <gtest/gtest.h>

#include <memory>

#include "base/internal.hpp"
#include "latent_cases.hpp"
#include "number/ordered.hpp"
#include "pco/mode/float_mult.hpp"
#include "pco/mode/float_quant.hpp"
#include "support/numbers.hpp"
#include "targets.hpp"

namespace numpact::testing {
namespace {

// The expected result of one batch of a variable, from the naive decoder.
struct Step {
  std::size_t variable = 0;
  std::uint64_t begin = 0;
  NaiveBatch expected;
};

// A latent variable of any width, whose batches are steps of a chain.
class Variable {
 public:
  virtual ~Variable() = default;
  virtual NaiveBatch naive_batch(ByteSpan in, std::uint64_t position) = 0;
  virtual unsigned max_bits() const = 0;
  // Builds the tables for the active target. False: too many bins for whole batches.
  virtual bool prepare(Arena& arena) = 0;
  virtual CodeWalk make_walk(const std::byte* in, std::uint64_t position, CodeTrail* trail) = 0;
  virtual void walk(CodeWalk& walk) = 0;
  // Unpacks the batch of a step, and walks another one if `walk` is not null.
  virtual void unpack(const Step& step, const CodeTrail& trail, const std::byte* in,
                      CodeWalk* walk) = 0;
  virtual const AnsStates& states() const = 0;
  virtual bool has_jumps() const = 0;
};

template <Latent L>
class VariableOf final : public Variable {
 public:
  VariableOf(const BinShape& shape, Random& random)
      : random_(random),
        bins_(random_bins<L>(shape, random)),
        size_log_(shape.size_log),
        bias_(random.one_in(2) ? L{0} : static_cast<L>(random.bits())),
        table_(naive_table(bins_, size_log_)),
        first_states_(random_states(size_log_, random)),
        naive_states_(first_states_) {}

  NaiveBatch naive_batch(ByteSpan in, std::uint64_t position) override {
    NaiveBatch batch = naive_decode(bins_, table_, bias_, naive_states_, in, position, kBatchN);
    naive_states_ = batch.states;
    return batch;
  }
  unsigned max_bits() const override {
    unsigned offset_bits = 0;
    for (const Bin& bin : bins_) offset_bits = std::max(offset_bits, bin.offset_bits);
    return size_log_ + offset_bits;
  }
  bool prepare(Arena& arena) override {
    tables_ = LatentTables<L>::make(Binning{kBits<L>, size_log_, bins_}, bias_, arena);
    states_ = first_states_;
    moment_ = static_cast<L>(random_.bits());
    return tables_.is_coded() && tables_.is_summed;
  }
  CodeWalk make_walk(const std::byte* in, std::uint64_t position, CodeTrail* trail) override {
    return {tables_.nodes.data(), tables_.layout, tables_.jumps, &states_, in, position, trail};
  }
  void walk(CodeWalk& walk) override { tables_.kernels->walk(walk); }

  void unpack(const Step& step, const CodeTrail& trail, const std::byte* in,
              CodeWalk* walk) override {
    const std::size_t shift = random_.below(16);  // unaligned
    std::vector<L> buffer(shift + kBatchN + 1, L{99});
    L* const out = buffer.data() + shift;
    Finish<L> finish = random_finish();
    const std::uint64_t position = step.expected.codes_end;
    if (walk != nullptr) {
      tables_.kernels->unpack_and_walk(tables_, trail, in, position, out, finish, *walk);
    } else {
      tables_.kernels->unpack(tables_, trail, in, position, out, finish);
    }
    const std::vector<L> expected = finished(step.expected.latents, finish);
    for (std::size_t i = 0; i < kBatchN; ++i) {
      ASSERT_EQ(out[i], expected[i]) << "latent " << i << ", finish " << int(finish.kind);
    }
    ASSERT_EQ(out[kBatchN], L{99});
    if (shift > 0) {
      ASSERT_EQ(buffer[shift - 1], L{99});
    }
  }
  const AnsStates& states() const override { return states_; }
  bool has_jumps() const override { return tables_.jumps.targets != nullptr; }

 private:
  Finish<L> random_finish() {
    Finish<L> finish;
    finish.moment = moment_;
    if (!tables_.kernels->supports_finish || random_.one_in(4)) return finish;
    finish.kind = random_.pick(std::vector<FinishKind>{
        FinishKind::kSum, FinishKind::kFloat, FinishKind::kSumFloat, FinishKind::kFloatMult});
    if constexpr (sizeof(L) >= 4) {
      if (finish.kind == FinishKind::kFloatMult) set_float_mult(finish);
      if (finish.kind == FinishKind::kFloatQuant) set_float_quant(finish);
    }
    return finish;
  }

  void set_float_quant(Finish<L>& finish) {
    const unsigned k = static_cast<unsigned>(random_.between(1, FloatTraits<L>::kMantissaBits));
    finish.parameter = static_cast<L>(k);
    // Includes latents that no float has.
    const unsigned bits = kBits<L> - (random_.one_in(2) ? k : 0);
    primary_.resize(kBatchN);
    for (L& latent : primary_) latent = static_cast<L>(random_.bits(bits));
    finish.primary = primary_.data();
  }

  void set_float_mult(Finish<L>& finish) {
    const unsigned bits = static_cast<unsigned>(random_.below(sizeof(L) == 8 ? 53 : 24));
    primary_.resize(kBatchN);
    for (L& latent : primary_) {
      const L integer = static_cast<L>(random_.bits(bits));
      latent = static_cast<L>(random_.one_in(2) ? kMid<L> + integer : kMid<L> - 1 - integer);
    }
    ASSERT_TRUE(is_float_mult_fast(primary_.data(), kBatchN));
    finish.primary = primary_.data();
    const double base = random_.one_in(2) ? 0.01 : -3.0;
    if constexpr (sizeof(L) == 8) {
      finish.parameter = std::bit_cast<std::uint64_t>(base);
    } else {
      finish.parameter = std::bit_cast<std::uint32_t>(static_cast<float>(base));
    }
  }

  // The latents after the finish.
  std::vector<L> finished(const std::vector<std::uint64_t>& latents, const Finish<L>& finish) {
    std::vector<L> result(latents.begin(), latents.end());
    if constexpr (sizeof(L) >= 4) {
      if (finish.kind == FinishKind::kFloatQuant) {
        for (std::size_t i = 0; i < result.size(); ++i) {
          result[i] =
              float_quant_join(primary_[i], result[i], static_cast<unsigned>(finish.parameter));
        }
        return result;
      }
      if (finish.kind == FinishKind::kFloatMult) {
        const auto base = FloatTraits<L>::to_arithmetic(finish.parameter);
        for (std::size_t i = 0; i < result.size(); ++i) {
          const L product = float_mult_product(primary_[i], base);
          result[i] =
              from_ordered(static_cast<L>(product + result[i] + kMid<L>), NumberKind::kFloat);
        }
        return result;
      }
    }
    if (sums(finish.kind)) {
      for (L& latent : result) {
        const L delta = latent;
        latent = moment_;
        moment_ = static_cast<L>(moment_ + delta);
      }
      EXPECT_EQ(finish.moment, moment_);
    }
    if (makes_floats(finish.kind)) {
      for (L& latent : result) latent = from_ordered(latent, NumberKind::kFloat);
    }
    return result;
  }

  Random& random_;
  std::vector<Bin> bins_;
  unsigned size_log_;
  L bias_;
  std::vector<NaiveState> table_;
  AnsStates first_states_;
  AnsStates naive_states_;
  AnsStates states_{};
  L moment_ = 0;
  std::vector<L> primary_;
  LatentTables<L> tables_;
};

// Batches of several variables in turn, as in a page.
class Chain {
 public:
  Chain(std::vector<std::unique_ptr<Variable>> variables, std::size_t step_n, Random& random)
      : variables_(std::move(variables)) {
    const Bytes bytes = noise((step_n + 1) * (kBatchN * (kMaxAnsSizeLog + 64) / 8 + 1), random);
    std::uint64_t position = random.below(64);
    for (std::size_t i = 0; i < step_n; ++i) {
      Step step;
      step.variable = i % variables_.size();
      step.begin = position;
      step.expected = variables_[step.variable]->naive_batch(bytes, position);
      position = step.expected.end;
      steps_.push_back(std::move(step));
    }
    // Exactly the bytes that kernels may read for the last batch.
    const Step& last = steps_.back();
    const ByteSpan readable = ByteSpan(bytes).first(
        readable_bytes(last.begin, kBatchN, variables_[last.variable]->max_bits()));
    buffer_ = std::make_unique<GuardedBuffer>(readable.size());
    in_ = buffer_->copy(readable).data();
  }

  bool prepare(Arena& arena) {
    bool can = true;
    for (const auto& variable : variables_) can &= variable->prepare(arena);
    return can;
  }
  bool has_jumps(std::size_t variable) const { return variables_[variable]->has_jumps(); }

  // Each batch walked, then unpacked.
  void check_apart() {
    for (const Step& step : steps_) {
      Variable& variable = *variables_[step.variable];
      CodeTrail trail;
      CodeWalk walk = variable.make_walk(in_, step.begin, &trail);
      variable.walk(walk);
      check_walk(step, walk, trail);
      variable.unpack(step, trail, in_, nullptr);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }

  // Each batch walked while the one before it is unpacked.
  void check_at_once() {
    CodeTrail trails[2];
    CodeWalk walk = variables_[0]->make_walk(in_, steps_[0].begin, &trails[0]);
    variables_[0]->walk(walk);
    check_walk(steps_[0], walk, trails[0]);
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const Step& step = steps_[i];
      const CodeTrail& trail = trails[i % 2];
      SCOPED_TRACE(text("step ", i));
      if (i + 1 == steps_.size()) {
        variables_[step.variable]->unpack(step, trail, in_, nullptr);
        break;
      }
      const Step& next = steps_[i + 1];
      CodeTrail& next_trail = trails[(i + 1) % 2];
      walk = variables_[next.variable]->make_walk(in_, next.begin, &next_trail);
      variables_[step.variable]->unpack(step, trail, in_, &walk);
      check_walk(next, walk, next_trail);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }

 private:
  void check_walk(const Step& step, const CodeWalk& walk, const CodeTrail& trail) const {
    ASSERT_EQ(walk.position, step.expected.codes_end);
    ASSERT_EQ(trail.offset_bits, step.expected.end - step.expected.codes_end);
    ASSERT_EQ(variables_[step.variable]->states(), step.expected.states);
  }

  std::vector<std::unique_ptr<Variable>> variables_;
  std::vector<Step> steps_;
  std::unique_ptr<GuardedBuffer> buffer_;
  const std::byte* in_ = nullptr;
};

// Checks both orders on every target. False: no target can decode whole batches of these tables.
bool check_chain(Chain& chain) {
  bool any = false;
  for_each_target([&] {
    Arena arena(std::pmr::new_delete_resource());
    if (!chain.prepare(arena)) return;
    any = true;
    chain.check_apart();
    if (::testing::Test::HasFatalFailure()) return;
    chain.prepare(arena);
    chain.check_at_once();
  });
  return any;
}

template <Latent L>
std::unique_ptr<Variable> variable_of(const BinShape& shape, Random& random) {
  return std::make_unique<VariableOf<L>>(shape, random);
}

std::unique_ptr<Variable> any_variable(std::size_t bin_n, Random& random) {
  BinShape shape{random_size_log(bin_n, random), bin_n, 0};
  switch (random.below(4)) {
    case 0:
      shape.max_offset_bits = static_cast<unsigned>(random.below(9));
      return variable_of<std::uint8_t>(shape, random);
    case 1:
      shape.max_offset_bits = static_cast<unsigned>(random.below(17));
      return variable_of<std::uint16_t>(shape, random);
    case 2:
      shape.max_offset_bits = static_cast<unsigned>(random.below(33));
      return variable_of<std::uint32_t>(shape, random);
    default:
      shape.max_offset_bits = static_cast<unsigned>(random.below(65));
      return variable_of<std::uint64_t>(shape, random);
  }
}

template <class T>
class Batches : public ::testing::Test {};
using Widths = ::testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(Batches, Widths);

TYPED_TEST(Batches, EveryOffsetWidthAndNumberOfBins) {
  Random random(34);
  for (unsigned offset_bits = 0; offset_bits <= kBits<TypeParam>; ++offset_bits) {
    for (const std::size_t bin_n : kBinCounts) {
      if (bin_n == 1) continue;
      const BinShape shape{random_size_log(bin_n, random), bin_n, offset_bits};
      SCOPED_TRACE(text(offset_bits, " offset bits, ", bin_n, " bins, size log ", shape.size_log,
                        ", seed ", seed()));
      std::vector<std::unique_ptr<Variable>> variables;
      variables.push_back(variable_of<TypeParam>(shape, random));
      Chain chain(std::move(variables), 3, random);
      const bool any = check_chain(chain);
      if (::testing::Test::HasFatalFailure()) return;
      ASSERT_TRUE(any);  // sums of sixteen fit for up to 8192 bins
    }
  }
}

TYPED_TEST(Batches, EverySizeLog) {
  Random random(35);
  for (unsigned size_log = 1; size_log <= kMaxAnsSizeLog; ++size_log) {
    for (const std::size_t bin_n : {2u, 7u, 30u, 100u, 256u}) {
      if (min_size_log(bin_n) > size_log) continue;
      const BinShape shape{size_log, bin_n,
                           static_cast<unsigned>(random.below(kBits<TypeParam> + 1))};
      SCOPED_TRACE(text("size log ", size_log, ", ", bin_n, " bins, seed ", seed()));
      std::vector<std::unique_ptr<Variable>> variables;
      variables.push_back(variable_of<TypeParam>(shape, random));
      Chain chain(std::move(variables), 4, random);
      ASSERT_TRUE(check_chain(chain));
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

// Symbols with nearly all of the weight are jumped through, with and without offsets.
TYPED_TEST(Batches, DominantSymbols) {
  Random random(36);
  for (const double share : {0.9, 0.97, 0.98, 0.987, 0.99, 0.995, 0.999, 1023.0 / 1024}) {
    for (int round = 0; round < 12; ++round) {
      const std::size_t bin_n = random.pick(std::vector<std::size_t>{2, 3, 9, 20});
      const unsigned min_log = bin_n == 2 ? 10 : 12;
      const BinShape shape{static_cast<unsigned>(random.between(min_log, kMaxAnsSizeLog)), bin_n,
                           static_cast<unsigned>(random.below(kBits<TypeParam> + 1)), share,
                           random.one_in(2)};
      SCOPED_TRACE(text("share ", share, ", ", bin_n, " bins, size log ", shape.size_log, ", ",
                        shape.max_offset_bits, " offset bits, seed ", seed()));
      std::vector<std::unique_ptr<Variable>> variables;
      variables.push_back(variable_of<TypeParam>(shape, random));
      Chain chain(std::move(variables), 8, random);
      ASSERT_TRUE(check_chain(chain));
      if (::testing::Test::HasFatalFailure()) return;
      if (share >= 0.99 && shape.is_value) {
        ASSERT_TRUE(chain.has_jumps(0));
      }
    }
  }
}

// A variable of one width is walked while one of another width is unpacked, with and without jumps.
TEST(BatchesOfSeveral, Variables) {
  Random random(37);
  for (int round = 0; round < 400; ++round) {
    std::vector<std::unique_ptr<Variable>> variables;
    const std::size_t variable_n = random.between(2, 3);
    std::size_t max_bins = 0;
    for (std::size_t i = 0; i < variable_n; ++i) {
      const std::size_t bin_n = random.between(2, random.one_in(3) ? 512 : 60);
      max_bins = std::max(max_bins, bin_n);
      if (random.one_in(3)) {
        const BinShape shape{12, 5, static_cast<unsigned>(random.below(33)), 0.99, true};
        variables.push_back(variable_of<std::uint32_t>(shape, random));
      } else {
        variables.push_back(any_variable(bin_n, random));
      }
    }
    SCOPED_TRACE(text("round ", round, ", seed ", seed()));
    Chain chain(std::move(variables), 7, random);
    const bool any = check_chain(chain);
    if (::testing::Test::HasFatalFailure()) return;
    if (max_bins <= 256) {
      ASSERT_TRUE(any);
    }
  }
}

}  // namespace
}  // namespace numpact::testing
