// SPDX-License-Identifier: Apache-2.0
#include "cvc/file/remote.hpp"

#include <algorithm>
#include <vector>

#include "base/try.hpp"
#include "cvc/file/check.hpp"
#include "cvc/file/loading.hpp"
#include "cvc/file/wishes.hpp"

namespace numpact::cvc {
namespace {

class PartsReader {
 public:
  PartsReader(const Records& records, std::span<const Target> targets, const ReadConfig& config)
      : records_(records), targets_(targets), config_(config) {
    for (const Target& target : targets) columns_.push_back(target.column);
  }

  Status read(const Part& part, Hand& hand) const {
    const Info& info = records_.info();
    if (part.is_checked) {
      std::span<const std::byte> record;
      NUMPACT_TRY(records_.loader()->read_record(info, part.chunk, hand.buffer, record));
      return read_parts(Records(info, part.chunk, record), {&part, 1}, targets_, config_, pass_on,
                        nullptr);
    }
    NUMPACT_TRY(records_.loader()->read_rows(info, part.chunk, part.rows, columns_, hand.buffer,
                                             hand.windows));
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      const Window& window = hand.windows[i];
      Part inside = part;
      inside.rows.first -= window.rows.first;
      NUMPACT_TRY(read_parts(Records(info, window), {&inside, 1}, targets_.subspan(i, 1), config_,
                             pass_on, nullptr));
    }
    return {};
  }

 private:
  const Records& records_;
  std::span<const Target> targets_;
  ReadConfig config_;
  std::vector<std::size_t> columns_;
};

constexpr std::uint64_t kAnyDistance = std::uint64_t{1} << 62;  // rows of a file are fewer

// Rows of one chunk, in their order.
class Gatherer {
 public:
  Gatherer(const Records& records, std::span<const Target> targets, const ReadConfig& config)
      : records_(records), targets_(targets), config_(config) {}

  Status gather(std::span<const Wish> wishes, Hand& hand) const {
    const Info& info = records_.info();
    const std::size_t chunk = chunk_of_row(info, wishes[0].row);
    if (config_.verify && info.has_checksums()) {
      std::span<const std::byte> bytes;
      NUMPACT_TRY(records_.loader()->read_record(info, chunk, hand.buffer, bytes));
      const Records record(info, chunk, bytes);
      NUMPACT_TRY(check_chunk(record, chunk));
      for (const Target& target : targets_) {
        NUMPACT_TRY(gather_chunk(record, chunk, info.chunks[chunk].first_row, wishes, target,
                                 config_.limits));
      }
      return {};
    }
    for (const Target& target : targets_) {
      NUMPACT_TRY(gather_column(chunk, wishes, target, hand));
    }
    return {};
  }

 private:
  // By reads that leave out what is far from any row.
  Status gather_column(std::size_t chunk, std::span<const Wish> wishes, const Target& target,
                       Hand& hand) const {
    const auto row_bytes = lone_row_bytes(records_.info(), chunk, target.column);
    const std::uint64_t near =
        row_bytes ? kNearBytes / std::max<std::uint64_t>(1, *row_bytes) : kAnyDistance;
    for (std::size_t first = 0; first < wishes.size();) {
      std::size_t end = first + 1;
      while (end < wishes.size() && wishes[end].row - wishes[end - 1].row <= near + 1) ++end;
      NUMPACT_TRY(gather_run(chunk, wishes.subspan(first, end - first), target, hand));
      first = end;
    }
    return {};
  }

  Status gather_run(std::size_t chunk, std::span<const Wish> wishes, const Target& target,
                    Hand& hand) const {
    const Info& info = records_.info();
    const std::uint64_t start = info.chunks[chunk].first_row;
    const RowRange rows{wishes.front().row - start, wishes.back().row - wishes.front().row + 1};
    NUMPACT_TRY(records_.loader()->read_rows(info, chunk, rows, {&target.column, 1}, hand.buffer,
                                             hand.windows));
    const Window& window = hand.windows[0];
    return gather_chunk(Records(info, window), chunk, start + window.rows.first, wishes, target,
                        config_.limits);
  }

  const Records& records_;
  std::span<const Target> targets_;
  const ReadConfig& config_;
};

}  // namespace

Status read_remote_parts(const Records& records, std::span<const Part> parts,
                         std::span<const Target> targets, const ReadConfig& config,
                         PartHandler handler, void* owner) {
  ReadConfig inner;
  inner.limits = config.limits;
  if (parts.size() == 1) {
    // Loaded by one, decoded by all.
    inner.threads = config.threads;
    inner.executor = config.executor;
  }
  const PartsReader reader(records, targets, inner);
  const TaskPool pool(parts.size() == 1 ? 1 : config.threads,
                      parts.size() == 1 ? nullptr : config.executor);
  Progress progress;
  const auto take = [&](std::size_t i, const Status& problem) {
    progress.bytes += records.info().chunks[parts[i].chunk].payload_bytes;
    for (const Target& target : targets) {
      progress.numbers += parts[i].rows.count * target.rows.dimension;
    }
    return problem.ok() ? Status() : handler(owner, parts[i], problem);
  };
  return for_each_loaded(
      pool, parts.size(), [&](std::size_t i, Hand& hand) { return reader.read(parts[i], hand); },
      take, [&] { return tell(config, progress); });
}

Status gather_remote_rows(const Records& records, std::span<const std::uint64_t> rows,
                          std::span<const Target> targets, const ReadConfig& config) {
  const Gatherer gatherer(records, targets, config);
  std::vector<Wish> wishes;
  wishes.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) wishes.push_back({rows[i], i});
  const std::vector<std::span<const Wish>> groups = group_by_chunk(records.info(), wishes);
  const TaskPool pool(config.threads, config.executor);
  Progress progress;
  const auto take = [&](std::size_t i, const Status& problem) {
    for (const Target& target : targets) {
      progress.numbers += groups[i].size() * target.rows.dimension;
    }
    return problem;
  };
  return for_each_loaded(
      pool, groups.size(),
      [&](std::size_t i, Hand& hand) { return gatherer.gather(groups[i], hand); }, take,
      [&] { return tell(config, progress); });
}

}  // namespace numpact::cvc
