// SPDX-License-Identifier: Apache-2.0
// The encoding part of the C interface: recipes, early ends, and what a chunk is before it is
// written.
#include <gtest/gtest.h>

#include <string>

#include "numpact/numpact.h"
#include "numpact/numpact.hpp"
#include "support/distributions.hpp"
#include "support/small_files.hpp"

namespace numpact::testing {
namespace {

numpact_encode_options options_with(const numpact_recipe* recipe) {
  numpact_encode_options options;
  numpact_encode_options_init(&options);
  options.recipe = recipe;
  return options;
}

TEST(CRecipe, GivesTheFilesOfCpp) {
  Random random(921);
  const Numbers all = make_numbers("decimals", NumberType::kF64, 4000, random);
  numpact_encode_options options = options_with(nullptr);
  options.max_page_count = 400;
  numpact_recipe* recipe = nullptr;
  ASSERT_EQ(numpact_recipe_create(nullptr, NUMPACT_F64, all.data(), all.count(), &options, &recipe,
                                  nullptr),
            NUMPACT_OK);
  EXPECT_EQ(numpact_recipe_type(recipe), NUMPACT_F64);
  EncodeConfig config;
  config.paging = PagingSpec::equal_pages_up_to(400);
  const Recipe same = choose_recipe(all.view(), config).value();
  EXPECT_EQ(numpact_recipe_text(recipe), to_string(same));
  numpact_recipe* parsed = nullptr;
  ASSERT_EQ(numpact_recipe_parse(nullptr, numpact_recipe_text(recipe), &parsed, nullptr),
            NUMPACT_OK);
  config = {};
  config.recipe = &same;
  const Bytes expected = compress(part(all, 400, 400), config).value();
  for (const numpact_recipe* const one : {recipe, parsed}) {
    options = options_with(one);
    Bytes file(numpact_compress_bound(NUMPACT_F64, 400, &options));
    std::size_t size = 0;
    ASSERT_EQ(numpact_compress(nullptr, NUMPACT_F64, part(all, 400, 400).data, 400, &options,
                               file.data(), file.size(), &size, nullptr),
              NUMPACT_OK);
    file.resize(size);
    EXPECT_TRUE(same_bytes(file, expected));
  }
  numpact_recipe_destroy(parsed);
  numpact_recipe_destroy(recipe);
  numpact_recipe_destroy(nullptr);
}

TEST(CRecipe, ErrorsAreReported) {
  numpact_recipe* recipe = nullptr;
  EXPECT_EQ(numpact_recipe_parse(nullptr, "f64 classic", &recipe, nullptr),
            NUMPACT_INVALID_ARGUMENT);
  EXPECT_EQ(numpact_recipe_parse(nullptr, nullptr, &recipe, nullptr), NUMPACT_INVALID_ARGUMENT);
  EXPECT_EQ(numpact_recipe_create(nullptr, NUMPACT_F64, nullptr, 0, nullptr, &recipe, nullptr),
            NUMPACT_INVALID_ARGUMENT);
  EXPECT_EQ(recipe, nullptr);
  ASSERT_EQ(numpact_recipe_parse(nullptr, "i16 classic none", &recipe, nullptr), NUMPACT_OK);
  const numpact_encode_options options = options_with(recipe);
  std::byte out[100];
  std::size_t size = 0;
  EXPECT_EQ(
      numpact_compress(nullptr, NUMPACT_U16, "abcd", 2, &options, out, sizeof out, &size, nullptr),
      NUMPACT_INVALID_ARGUMENT);
  EXPECT_EQ(
      numpact_compress(nullptr, NUMPACT_I16, "abcd", 2, &options, out, sizeof out, &size, nullptr),
      NUMPACT_OK);
  numpact_recipe_destroy(recipe);
}

TEST(CBudget, SmallerThanTheBound) {
  Random random(904);
  const Numbers noise = make_numbers("uniform", NumberType::kU64, 2000, random);
  const Numbers walk = make_numbers("walk", NumberType::kU64, 2000, random);
  Bytes out(16000);
  std::size_t size = 77;
  numpact_error error;
  numpact_error_init(&error);
  EXPECT_EQ(numpact_compress(nullptr, NUMPACT_U64, noise.data(), 2000, nullptr, out.data(),
                             out.size(), &size, &error),
            NUMPACT_DOES_NOT_FIT);
  EXPECT_EQ(size, 77u);
  EXPECT_EQ(numpact_compress(nullptr, NUMPACT_U64, walk.data(), 2000, nullptr, out.data(),
                             out.size(), &size, &error),
            NUMPACT_OK);
  EXPECT_LT(size, 16000u);
}

TEST(CBudget, EndsEarly) {
  struct Reports {
    std::size_t n = 0;
  } reports;
  numpact_context_options context_options;
  numpact_context_options_init(&context_options);
  context_options.progress_opaque = &reports;
  context_options.progress = [](void* opaque, std::uint64_t, std::uint64_t) {
    ++static_cast<Reports*>(opaque)->n;
    return 1;
  };
  numpact_context* context = nullptr;
  ASSERT_EQ(numpact_context_create(&context_options, &context, nullptr), NUMPACT_OK);
  Random random(922);
  const Numbers noise = make_numbers("uniform", NumberType::kU64, 60'000, random);
  numpact_encode_options options = options_with(nullptr);
  options.max_page_count = 6000;
  Bytes out(numpact_compress_bound(NUMPACT_U64, noise.count(), &options));
  std::size_t size = 0;
  const auto compress_noise = [&] {
    return numpact_compress(context, NUMPACT_U64, noise.data(), noise.count(), &options, out.data(),
                            out.size(), &size, nullptr);
  };
  EXPECT_EQ(compress_noise(), NUMPACT_OK);
  EXPECT_EQ(reports.n, 10u);
  options.max_size = 8 * noise.count();
  EXPECT_EQ(compress_noise(), NUMPACT_DOES_NOT_FIT);
  EXPECT_EQ(reports.n, 10u);
  numpact_context_destroy(context);
}

TEST(CEstimate, IsThatOfCpp) {
  Random random(924);
  for (const char* const distribution : {"decimals", "walk", "uniform"}) {
    const Numbers numbers = make_numbers(distribution, NumberType::kF64, 60'000, random);
    const SizeEstimate expected = estimate_size(numbers.view()).value();
    numpact_estimate estimate = {};
    estimate.struct_size = sizeof estimate;
    ASSERT_EQ(numpact_estimate_size(nullptr, NUMPACT_F64, numbers.data(), numbers.count(), nullptr,
                                    &estimate, nullptr),
              NUMPACT_OK);
    EXPECT_EQ(estimate.size, expected.bytes);
    EXPECT_EQ(estimate.error, expected.error_bytes);
    EXPECT_EQ(estimate.mode, static_cast<std::int32_t>(expected.mode));
    EXPECT_EQ(estimate.delta, static_cast<std::int32_t>(expected.delta));
    EXPECT_EQ(estimate.mode_text, expected.mode_text);
    EXPECT_EQ(estimate.delta_text, expected.delta_text);
  }
  EXPECT_EQ(numpact_estimate_size(nullptr, NUMPACT_F64, nullptr, 0, nullptr, nullptr, nullptr),
            NUMPACT_INVALID_ARGUMENT);
}

TEST(CChunkInfo, IsThatOfTheChunk) {
  Random random(923);
  const Numbers numbers = make_numbers("decimals", NumberType::kF64, 2500, random);
  numpact_encode_options options = options_with(nullptr);
  options.max_page_count = 1000;
  numpact_chunk_encoder* encoder = nullptr;
  ASSERT_EQ(numpact_chunk_encoder_create(nullptr, NUMPACT_F64, numbers.data(), numbers.count(),
                                         &options, &encoder, nullptr),
            NUMPACT_OK);
  numpact_chunk_info info = {};
  EXPECT_EQ(numpact_chunk_encoder_info(encoder, &info, nullptr), NUMPACT_INVALID_ARGUMENT);
  info.struct_size = sizeof info;
  ASSERT_EQ(numpact_chunk_encoder_info(encoder, &info, nullptr), NUMPACT_OK);
  EncodeConfig config;
  config.paging = PagingSpec::equal_pages_up_to(1000);
  const ChunkInfo same =
      wrapped::ChunkEncoder::create(numbers.view(), config).value().info().value();
  EXPECT_EQ(info.type, NUMPACT_F64);
  EXPECT_EQ(info.mode, static_cast<std::int32_t>(same.mode()));
  EXPECT_EQ(info.delta, static_cast<std::int32_t>(same.delta()));
  EXPECT_EQ(info.count, numbers.count());
  EXPECT_EQ(info.page_count, 3u);
  EXPECT_EQ(info.meta_size, numpact_chunk_encoder_meta_bound(encoder));
  EXPECT_EQ(info.page_size, same.page_bytes);
  EXPECT_GT(info.bin_counts[1], 0u);
  EXPECT_LE(info.meta_size + info.page_size, numpact_chunk_bound(NUMPACT_F64, numbers.count()));
  char text[256];
  std::size_t size = 0;
  ASSERT_EQ(numpact_chunk_encoder_describe(encoder, text, sizeof text, &size, nullptr), NUMPACT_OK);
  EXPECT_EQ(std::string(text).size(), size);
  EXPECT_TRUE(std::string(text).starts_with(same.mode_text() + ", " + same.delta_text() + "; "));
  numpact_error error;
  numpact_error_init(&error);
  EXPECT_EQ(numpact_chunk_encoder_describe(encoder, text, size, &size, &error),
            NUMPACT_DOES_NOT_FIT);
  EXPECT_EQ(error.needed, size + 1);
  numpact_chunk_encoder_destroy(encoder);
}

}  // namespace
}  // namespace numpact::testing
