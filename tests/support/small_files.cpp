// SPDX-License-Identifier: Apache-2.0
#include "support/small_files.hpp"

#include "support/distributions.hpp"

namespace numpact::testing {

std::vector<ModeSpec> mode_specs(NumberType type) {
  std::vector<ModeSpec> specs = {ModeSpec::automatic(), ModeSpec::classic(), ModeSpec::try_dict()};
  if (kind_of(type) == NumberKind::kFloat) {
    for (const double base : {0.01, 1.0, 3.0, -0.1, 1e-5}) {
      specs.push_back(ModeSpec::try_float_mult(base));
    }
    const unsigned max_k = size_of(type) == 2 ? 10 : size_of(type) == 4 ? 23 : 52;
    for (const unsigned k : {1u, 5u, max_k - 4, max_k})
      specs.push_back(ModeSpec::try_float_quant(k));
  } else {
    for (const std::uint64_t base : {1u, 10u, 77u, 255u}) {
      specs.push_back(ModeSpec::try_int_mult(base));
    }
    specs.push_back(ModeSpec::try_int_mult(~std::uint64_t{0} >> (64 - 8 * size_of(type))));
  }
  return specs;
}

std::vector<DeltaSpec> delta_specs(NumberType type) {
  std::vector<DeltaSpec> specs = {DeltaSpec::automatic(), DeltaSpec::none(),
                                  DeltaSpec::try_lookback()};
  for (const unsigned order : {0u, 1u, 2u, 7u}) specs.push_back(DeltaSpec::try_consecutive(order));
  if (size_of(type) < 8) {
    for (const unsigned order : {1u, 5u, 32u}) specs.push_back(DeltaSpec::try_conv1(order));
  }
  return specs;
}

std::string describe(const EncodeConfig& config) {
  return text("level ", config.level, ", ", to_string(config.mode), ", ", to_string(config.delta));
}

std::vector<Fixture> small_files() {
  std::vector<Fixture> files;
  Random random(7);
  const auto add = [&](NumberType type, std::size_t n, std::string_view distribution,
                       const EncodeConfig& config) {
    Fixture file;
    file.numbers = make_numbers(distribution, type, n, random);
    file.name = text(name_of(type), " x ", n, " ", distribution, ", ", describe(config));
    file.file = compressed(file.numbers, config);
    EXPECT_LT(file.file.size(), 1500u) << file.name;
    files.push_back(std::move(file));
  };
  unsigned level = 0;
  for (const NumberType type : kNumberTypes) {
    const bool is_float = kind_of(type) == NumberKind::kFloat;
    EncodeConfig config;
    add(type, 40, "uniform", config);
    config.delta = DeltaSpec::try_consecutive(2);
    config.mode = is_float ? ModeSpec::try_float_mult(0.01) : ModeSpec::try_int_mult(10);
    add(type, 60, is_float ? "decimals" : "multiples", config);
    config.delta = DeltaSpec::try_lookback();
    config.mode = is_float ? ModeSpec::try_float_quant(6) : ModeSpec::classic();
    add(type, 150, "repeats", config);
    config = {};
    config.mode = ModeSpec::try_dict();
    add(type, 280, "few-values", config);
    config = {};
    config.paging = PagingSpec::equal_pages_up_to(9);
    add(type, 30, "walk", config);
    config = {};
    config.level = level++;
    config.delta = size_of(type) < 8 ? DeltaSpec::try_conv1(3) : DeltaSpec::try_consecutive(7);
    add(type, 120, "walk", config);
  }
  add(NumberType::kF64, 0, "uniform", {});
  return files;
}

}  // namespace numpact::testing
