// SPDX-License-Identifier: Apache-2.0
#include "pco/null_file.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "io/output_file.hpp"

namespace numpact::cli {
namespace {

class SpooledRuns final : public NumberInput {
 public:
  SpooledRuns(const Spool& spool, Spool::Stream stream)
      : spool_(spool), stream_(stream), total_(spool.size(stream) / sizeof(std::uint64_t)) {}

  NumberView next() override {
    runs_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kBlockNumbers, total_ - done_)));
    spool_.read(stream_, done_ * sizeof(std::uint64_t), std::as_writable_bytes(std::span(runs_)));
    done_ += runs_.size();
    return {NumberType::kU64, runs_.data(), runs_.size()};
  }

  std::optional<std::uint64_t> count() const override { return total_; }

 private:
  const Spool& spool_;
  Spool::Stream stream_;
  std::uint64_t total_;
  std::uint64_t done_ = 0;
  std::vector<std::uint64_t> runs_;
};

}  // namespace

void NullFileWriter::take(NullRuns& runs) {
  const std::vector<std::uint64_t> complete = runs.take();
  spool_.append(stream_, std::as_bytes(std::span(complete)));
}

WrittenFile NullFileWriter::write(const OutputFolder& folder, const std::string& name,
                                  WriteOptions options, const std::string& place) {
  options.after_block = nullptr;
  options.progress = false;
  // The requested mode and delta apply to the numbers, not to run lengths.
  options.config.mode = ModeSpec::automatic();
  options.config.delta = DeltaSpec::automatic();
  SpooledRuns runs(spool_, stream_);
  OutputFile file(folder, name);
  const WrittenFile written = write_pco(runs, NumberType::kU64, file, options, place);
  file.commit(TemporaryPath::Sync::kLater);
  return written;
}

}  // namespace numpact::cli
