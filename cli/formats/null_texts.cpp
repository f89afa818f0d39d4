// SPDX-License-Identifier: Apache-2.0
// Rows without a text.
#include <algorithm>

#include "formats/others.hpp"

namespace numpact::cli {
namespace {

class NullTexts final : public TextInput {
 public:
  explicit NullTexts(std::uint64_t rows) : left_(rows) {}

  const TextBlock& next() override {
    block_ = {};
    for (const std::uint64_t count = std::min(left_, kOtherBatchRows); block_.rows() < count;) {
      block_.add_row(0, true);
    }
    left_ -= block_.rows();
    return block_;
  }

 private:
  std::uint64_t left_;
  TextBlock block_;
};

}  // namespace

std::unique_ptr<TextInput> null_texts(std::uint64_t rows) {
  return std::make_unique<NullTexts>(rows);
}

}  // namespace numpact::cli
