// SPDX-License-Identifier: Apache-2.0
// Recipes: files that decode to the same numbers whatever the recipe, sizes near those of a full
// choice, text, and errors.
#include <gtest/gtest.h>

#include <thread>

#include "numpact/wrapped.hpp"
#include "support/distributions.hpp"
#include "support/small_files.hpp"

namespace numpact::testing {
namespace {

EncodeConfig with(const Recipe& recipe) {
  EncodeConfig config;
  config.recipe = &recipe;
  return config;
}

Recipe recipe_for(const Numbers& sample, std::size_t series_n, unsigned level = kDefaultLevel) {
  EncodeConfig config;
  config.level = level;
  config.paging = PagingSpec::equal_pages_up_to(series_n);
  return choose_recipe(sample.view(), config).value();
}

// Decodes to the same numbers, and takes at most the bytes of a file that stores them plainly.
void expect_exact(const Numbers& numbers, const EncodeConfig& config) {
  const Bytes file = compressed(numbers, config);
  EXPECT_LE(file.size(), compress_bound(numbers.type(), numbers.count(), config));
  EXPECT_TRUE(same_numbers(decompressed(file), numbers));
}

TEST(Recipe, AnyRecipeGivesExactFiles) {
  Random random(1001);
  for (const NumberType type : kNumberTypes) {
    for (int round = 0; round < 3; ++round) {
      const std::string_view sampled = random.pick(distribution_names());
      const Recipe recipe = recipe_for(make_numbers(sampled, type, 3000, random), 300);
      const EncodeConfig config = with(recipe);
      for (const std::string_view name : distribution_names()) {
        SCOPED_TRACE(text(to_string(recipe), " of ", sampled, " for ", name, ", seed ", seed()));
        expect_exact(make_numbers(name, type, random.between(1, 700), random), config);
      }
      expect_exact(zeros(type, 1), config);
    }
  }
}

TEST(Recipe, EveryRequestIsARecipe) {
  Random random(1002);
  for (const NumberType type : kNumberTypes) {
    for (const ModeSpec& mode : mode_specs(type)) {
      for (const DeltaSpec& delta : delta_specs(type)) {
        if (!mode.mode() || !delta.delta() || delta.delta() == Delta::kConv1) continue;
        Recipe recipe;
        recipe.type = type;
        recipe.mode = mode;
        recipe.delta = delta;
        SCOPED_TRACE(to_string(recipe));
        EXPECT_EQ(parse_recipe(to_string(recipe)).value(), recipe);
        for (const std::string_view name : {"walk", "uniform", "decimals"}) {
          const Numbers numbers = make_numbers(name, type, random.between(1, 900), random);
          EncodeConfig config = with(recipe);
          config.paging = PagingSpec::equal_pages_up_to(400);
          expect_exact(numbers, config);
        }
      }
    }
  }
}

TEST(Recipe, IsNearlyAsGoodAsAFullChoice) {
  Random random(1003);
  for (const std::string_view name : {"walk", "decimals", "uniform"}) {
    const Numbers all = make_numbers(name, NumberType::kF64, 40'000, random);
    const Recipe recipe = recipe_for(all, 1000);
    std::size_t with_recipe = 0;
    std::size_t chosen = 0;
    for (std::size_t first = 0; first < all.count(); first += 1000) {
      with_recipe += compress(part(all, first, 1000), with(recipe)).value().size();
      chosen += compress(part(all, first, 1000)).value().size();
    }
    EXPECT_LE(with_recipe, chosen + chosen / 20) << name << ": " << to_string(recipe);
  }
}

TEST(Recipe, KeepsTheBaseOfDecimals) {
  Random random(1009);
  std::vector<double> prices(2000);
  for (double& price : prices) price = static_cast<double>(random.between(0, 99'999)) / 100;
  EncodeConfig config;
  config.paging = PagingSpec::equal_pages_up_to(100);
  const Recipe recipe = choose_recipe(prices, config).value();
  EXPECT_EQ(to_string(recipe), "f64 float-mult=0.01 none");
  const FileInfo info = inspect(compress(prices, with(recipe)).value()).value();
  EXPECT_EQ(info.chunks.at(0).mode(), Mode::kFloatMult);
}

TEST(Recipe, NumbersThatItDoesNotSuitAreClassicOrPlain) {
  Recipe recipe;
  recipe.type = NumberType::kU32;
  recipe.delta = DeltaSpec::try_consecutive(7);  // differences of noise are noise of 32 bits
  std::vector<std::uint32_t> noise(500);
  Random random(1004);
  for (std::uint32_t& x : noise) x = static_cast<std::uint32_t>(random.between(0, 1u << 28));
  Bytes file = compress(noise, with(recipe)).value();
  FileInfo info = inspect(file).value();
  ASSERT_EQ(info.chunks.size(), 1u);
  EXPECT_EQ(info.chunks[0].delta(), Delta::kNone);
  EXPECT_LT(info.chunks[0].page_bytes, 500u * 29 / 8 + 1);
  EXPECT_EQ(decompress<std::uint32_t>(file).value(), noise);
  for (std::uint32_t& x : noise) x = static_cast<std::uint32_t>(random.between(0, 0xffffffffu));
  file = compress(noise, with(recipe)).value();
  EXPECT_LE(file.size(), compress_bound(NumberType::kU32, noise.size()));
  EXPECT_EQ(decompress<std::uint32_t>(file).value(), noise);
}

TEST(Recipe, TextOfWeights) {
  Recipe recipe;
  recipe.type = NumberType::kI16;
  recipe.delta = DeltaSpec::try_conv1(2);
  recipe.quantization = 3;
  recipe.bias = -12;
  recipe.weights = {16, -8};
  const std::string text = "i16 classic conv1=2 weights=3:-12:16,-8";
  EXPECT_EQ(to_string(recipe), text);
  EXPECT_EQ(parse_recipe(text).value(), recipe);
  Random random(1005);
  expect_exact(make_numbers("walk", NumberType::kI16, 800, random), with(recipe));
  expect_exact(make_numbers("walk", NumberType::kI16, 1, random), with(recipe));
}

TEST(Recipe, OtherTextIsRefused) {
  for (const char* const text : {"",
                                 "f64",
                                 "f64 classic",
                                 "f63 classic none",
                                 "f64 auto none",
                                 "f64 classic auto",
                                 "f64 classic  none",
                                 " f64 classic none",
                                 "f64 classic none ",
                                 "f64 classic none x",
                                 "i32 float-mult=0.5 none",
                                 "f64 float-mult=0 none",
                                 "f64 float-mult=nan none",
                                 "f64 float-quant=53 none",
                                 "u8 int-mult=256 none",
                                 "u8 int-mult=0 none",
                                 "f64 classic consecutive=8",
                                 "f64 classic consecutive=1 secondary",
                                 "f64 float-mult=0.1 none secondary",
                                 "i32 classic conv1=2",
                                 "i32 classic conv1=33",
                                 "i32 classic conv1=2 weights=3:1:2",
                                 "i32 classic conv1=2 weights=3:1:2,3,4",
                                 "i32 classic conv1=2 weights=3:1:2,",
                                 "i32 classic conv1=2 weights=99:1:2,3",
                                 "u8 classic conv1=1 weights=0:0:2147483647",
                                 "i64 classic conv1=1 weights=0:0:1",
                                 "i32 classic none weights=3:1:2",
                                 "i32 classic conv1=0 weights=0:0:",
                                 "f64 float-mult=1e-2 none"}) {
    EXPECT_KIND(parse_recipe(text), kInvalidArgument) << text;
  }
}

TEST(Recipe, ContradictionsAreRefused) {
  Random random(1006);
  const Numbers numbers = make_numbers("walk", NumberType::kF32, 100, random);
  Recipe recipe;
  EXPECT_KIND(compress(numbers.view(), with(recipe)), kInvalidArgument);  // for u8
  recipe.type = NumberType::kF32;
  EncodeConfig config = with(recipe);
  EXPECT_OK(compress(numbers.view(), config).status());
  EXPECT_KIND(choose_recipe(numbers.view(), config), kInvalidArgument);
  config.mode = ModeSpec::classic();
  EXPECT_KIND(compress(numbers.view(), config), kInvalidArgument);
  config = with(recipe);
  config.delta = DeltaSpec::none();
  EXPECT_KIND(wrapped::ChunkEncoder::create(numbers.view(), config).status(), kInvalidArgument);
  config = with(recipe);
  recipe.mode = ModeSpec::try_dict();
  config.compatibility = Compatibility::kV4_0;
  EXPECT_KIND(compress(numbers.view(), config), kInvalidArgument);
  recipe.mode = ModeSpec::automatic();
  EXPECT_KIND(compress(numbers.view(), with(recipe)), kInvalidArgument);
  EXPECT_KIND(choose_recipe(NumberView(NumberType::kF32, nullptr, 0)), kInvalidArgument);
}

TEST(Recipe, ThreadsShareOne) {
  Random random(1007);
  const Numbers all = make_numbers("decimals", NumberType::kF32, 8000, random);
  const Recipe recipe = recipe_for(all, 1000);
  std::vector<Bytes> files(8);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < files.size(); ++i) {
    threads.emplace_back([&, i] {
      EncodeContext context;
      files[i] = compress(part(all, 1000 * i, 1000), with(recipe), &context).value();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < files.size(); ++i) {
    EXPECT_TRUE(same_bytes(files[i], compress(part(all, 1000 * i, 1000), with(recipe)).value()));
  }
}

TEST(Recipe, ServesStreamsAndPages) {
  Random random(1008);
  const Numbers numbers = make_numbers("decimals", NumberType::kF64, 3000, random);
  const Recipe recipe = recipe_for(numbers, 500);
  Bytes file;
  VectorSink sink(file);
  StreamWriter writer(sink, NumberType::kF64, with(recipe), numbers.count());
  ASSERT_OK(writer.write(numbers.view()));
  ASSERT_OK(writer.finish());
  EXPECT_TRUE(same_bytes(file, compressed(numbers, with(recipe))));
  const auto encoder = wrapped::ChunkEncoder::create(numbers.view(), with(recipe));
  ASSERT_OK(encoder.status());
  EXPECT_EQ(to_string(encoder->info()->mode()), std::string("float-mult"));
}

}  // namespace
}  // namespace numpact::testing
