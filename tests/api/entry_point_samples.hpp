// SPDX-License-Identifier: Apache-2.0
// Sample files for tests of entry points: a Pco file of several chunks and a CVC file.
#pragma once

#include "numpact/cvc.hpp"
#include "support/distributions.hpp"
#include "support/small_files.hpp"

namespace numpact::testing {

inline Numbers sample_numbers() {
  Random random(5);
  return make_numbers("walk", NumberType::kI32, 5000, random);
}

inline EncodeConfig paged() {
  EncodeConfig config;
  config.level = 2;
  config.paging = PagingSpec::equal_pages_up_to(700);
  return config;
}

inline Bytes sample_file(const TrailerSpec& trailer = TrailerSpec::restarts(8)) {
  EncodeConfig config = paged();
  config.trailer = trailer;
  return compressed(sample_numbers(), config);
}

inline Bytes sample_cvc() {
  Bytes file;
  const std::vector<float> values(600, 0.5f);
  cvc::WriteConfig config;
  config.chunk_rows = 50;
  cvc::Writer writer = cvc::Writer::create(file, config).value();
  throw_if_error(writer.append(cvc::Rows(std::span<const float>(values), 3)));
  writer.finish().value();
  return file;
}

}  // namespace numpact::testing
