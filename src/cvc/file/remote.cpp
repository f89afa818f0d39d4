// SPDX-License-Identifier: Apache-2.0
#include "cvc/file/remote.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/try.hpp"
#include "cvc/codec/codecs.hpp"
#include "cvc/file/loading.hpp"
#include "cvc/file/targets.hpp"

namespace numpact::cvc {
namespace {

Status pass_on(void*, const Part&, const Status& problem) { return problem; }

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

// Rows of one chunk, in places of the list of all.
struct Group {
  std::size_t chunk = 0;
  std::span<const std::size_t> places;
};

class Gatherer {
 public:
  Gatherer(const Records& records, std::span<const std::uint64_t> rows,
           std::span<const Target> targets, bool verify)
      : records_(records), rows_(rows), targets_(targets), verify_(verify), order_(rows.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::sort(order_.begin(), order_.end(),
              [&](std::size_t a, std::size_t b) { return rows_[a] < rows_[b]; });
    const Info& info = records.info();
    for (std::size_t first = 0; first < order_.size();) {
      const std::size_t chunk = chunk_of_row(info, rows_[order_[first]]);
      const std::uint64_t end_row = info.chunks[chunk].first_row + info.chunks[chunk].rows;
      std::size_t end = first + 1;
      while (end < order_.size() && rows_[order_[end]] < end_row) ++end;
      groups_.push_back({chunk, std::span(order_).subspan(first, end - first)});
      first = end;
    }
  }

  std::span<const Group> groups() const { return groups_; }

  Status gather(const Group& group, Hand& hand) const {
    const Info& info = records_.info();
    if (verify_ && info.has_checksums()) {
      std::span<const std::byte> bytes;
      NUMPACT_TRY(records_.loader()->read_record(info, group.chunk, hand.buffer, bytes));
      const Records record(info, group.chunk, bytes);
      NUMPACT_TRY(check_loaded(record, group.chunk));
      for (const Target& target : targets_) {
        NUMPACT_TRY(decode(record, group.chunk, group.places, 0, target));
      }
      return {};
    }
    for (const Target& target : targets_) NUMPACT_TRY(gather_column(group, target, hand));
    return {};
  }

 private:
  std::uint64_t row_of(const Group& group, std::size_t i) const {
    return rows_[group.places[i]] - records_.info().chunks[group.chunk].first_row;
  }

  // By reads that leave out what is far from any row.
  Status gather_column(const Group& group, const Target& target, Hand& hand) const {
    const auto row_bytes = lone_row_bytes(records_.info(), group.chunk, target.column);
    const std::uint64_t near =
        row_bytes ? kNearBytes / std::max<std::uint64_t>(1, *row_bytes) : kAnyDistance;
    for (std::size_t first = 0; first < group.places.size();) {
      std::size_t end = first + 1;
      while (end < group.places.size() && row_of(group, end) - row_of(group, end - 1) <= near + 1) {
        ++end;
      }
      const std::uint64_t row = row_of(group, first);
      NUMPACT_TRY(gather_run(group.chunk, group.places.subspan(first, end - first),
                             {row, row_of(group, end - 1) - row + 1}, target, hand));
      first = end;
    }
    return {};
  }

  Status gather_run(std::size_t chunk, std::span<const std::size_t> places, const RowRange& rows,
                    const Target& target, Hand& hand) const {
    const Info& info = records_.info();
    NUMPACT_TRY(records_.loader()->read_rows(info, chunk, rows, {&target.column, 1}, hand.buffer,
                                             hand.windows));
    return decode(Records(info, hand.windows[0]), chunk, places, hand.windows[0].rows.first,
                  target);
  }

  Status decode(const Records& loaded, std::size_t chunk, std::span<const std::size_t> places,
                std::uint64_t first, const Target& target) const {
    Record record;
    NUMPACT_TRY(loaded.open(chunk, record));
    Prepared prepared;
    Status status = prepare(loaded.encoded(chunk, target.column, record), prepared);
    const std::uint64_t start = loaded.info().chunks[chunk].first_row + first;
    for (std::size_t i = 0; i < places.size() && status.ok(); ++i) {
      status = decode_rows(prepared, rows_[places[i]] - start, 1, target.rows, places[i]);
    }
    return status.ok() ? status : status.at_chunk(chunk);
  }

  const Records& records_;
  std::span<const std::uint64_t> rows_;
  std::span<const Target> targets_;
  bool verify_;
  std::vector<std::size_t> order_;
  std::vector<Group> groups_;
};

}  // namespace

Status check_loaded(const Records& record, std::size_t chunk) {
  if (!record.info().has_checksums()) return {};
  const Part whole{chunk, {}, 0, true};
  return read_parts(record, {&whole, 1}, {}, {}, pass_on, nullptr);
}

Status read_remote_parts(const Records& records, std::span<const Part> parts,
                         std::span<const Target> targets, const ReadConfig& config,
                         PartHandler handler, void* owner) {
  ReadConfig inner;
  if (parts.size() == 1) {
    // Loaded by one, decoded by all.
    inner.threads = config.threads;
    inner.executor = config.executor;
  }
  const PartsReader reader(records, targets, inner);
  Team team(parts.size() == 1 ? 1 : config.threads, parts.size() == 1 ? nullptr : config.executor);
  Progress progress;
  const auto take = [&](std::size_t i, const Status& problem) {
    progress.bytes += records.info().chunks[parts[i].chunk].payload_bytes;
    for (const Target& target : targets) {
      progress.numbers += parts[i].rows.count * target.rows.dimension;
    }
    return problem.ok() ? Status() : handler(owner, parts[i], problem);
  };
  return for_each_loaded(
      team, parts.size(), [&](std::size_t i, Hand& hand) { return reader.read(parts[i], hand); },
      take, [&] { return tell(config, progress); });
}

Status gather_remote_rows(const Records& records, std::span<const std::uint64_t> rows,
                          std::span<const Target> targets, const ReadConfig& config) {
  const Gatherer gatherer(records, rows, targets, config.verify);
  const std::span<const Group> groups = gatherer.groups();
  Team team(config.threads, config.executor);
  Progress progress;
  const auto take = [&](std::size_t i, const Status& problem) {
    for (const Target& target : targets) {
      progress.numbers += groups[i].places.size() * target.rows.dimension;
    }
    return problem;
  };
  return for_each_loaded(
      team, groups.size(),
      [&](std::size_t i, Hand& hand) { return gatherer.gather(groups[i], hand); }, take,
      [&] { return tell(config, progress); });
}

}  // namespace numpact::cvc
