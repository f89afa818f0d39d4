// SPDX-License-Identifier: Apache-2.0
// Measures the losses of compressions.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "config.hpp"
#include "contexts.hpp"
#include "cvc/quality/measurement.hpp"
#include "cvc/quality/packer.hpp"
#include "cvc/quality/report.hpp"
#include "cvc/quality/search.hpp"
#include "cvc_arrays.hpp"
#include "cvc_names.hpp"
#include "numpact/executor.hpp"

namespace numpact::python {
namespace {

using cvc::quality::Candidate;
using cvc::quality::Measurement;
using cvc::quality::QualityReport;
using cvc::quality::QualityRow;
using cvc::quality::SearchOptions;

// Stops the measurement, because the progress function raised or a signal came.
class Stopped {};

nb::str text(std::string_view words) { return nb::str(words.data(), words.size()); }

// All that files of one array can have, or those named. Unknown names and those that such files
// cannot have are errors.
std::vector<Candidate> candidates_of(const std::optional<std::vector<std::string>>& names,
                                     std::uint64_t dimension, cvc::Rounding rounding) {
  std::vector<cvc::Compression> requested(std::begin(cvc::kCompressions),
                                          std::end(cvc::kCompressions));
  if (names) {
    requested.clear();
    for (const std::string& name : *names) requested.push_back(compression_of(name));
  }
  std::vector<Candidate> found;
  for (const cvc::Compression compression : requested) {
    Candidate candidate;
    candidate.name = candidate.compression = name_of(compression);
    try {
      candidate.decoded = cvc::quality::pack_in_memory(compression, dimension, rounding);
    } catch (const cvc::quality::Unfit& unfit) {
      if (!names) continue;  // for columns only
      raise_error(ErrorKind::kInvalidArgument, candidate.name + ": " + unfit.what());
    }
    found.push_back(std::move(candidate));
  }
  return found;
}

nb::dict row_dict(const QualityReport& report, const QualityRow& row) {
  nb::dict out;
  out["compression"] = text(row.compression);
  out["bytes"] = row.bytes;
  out["bytes_per_vector"] = report.bytes_per_vector(row);
  out["ratio"] = report.ratio(row);
  out["max_error"] = row.errors.max;
  out["mean_error"] = row.errors.mean;
  out["rmse"] = row.errors.rmse;
  out["mean_cosine_error"] = row.errors.mean_cosine;
  out["worst_cosine_error"] = row.errors.worst_cosine;
  out["overflows"] = row.errors.overflows;
  out["recall"] = nb::none();
  if (row.recall) {
    out["recall"] = nb::make_tuple(row.recall->mean, row.recall->low, row.recall->high);
  }
  out["cells"] = quality_cells(report, row);
  return out;
}

nb::dict report_dict(const QualityReport& report) {
  nb::dict out;
  nb::list rows;
  for (const QualityRow& row : report.rows) rows.append(row_dict(report, row));
  nb::list titles;
  for (const cvc::quality::Title& title : quality_titles(report)) {
    titles.append(nb::make_tuple(text(title.text), title.is_number));
  }
  nb::list left_out;
  for (const cvc::quality::LeftOut& each : report.left_out) {
    left_out.append(nb::make_tuple(text(each.name), text(each.why)));
  }
  const std::optional<std::size_t> recommended = recommended_row(report);
  out["rows"] = rows;
  out["titles"] = titles;
  out["left_out"] = left_out;
  out["vectors"] = report.vectors;
  out["sample"] = report.sample_rows;
  out["queries"] = report.plan.queries;
  out["recommended"] = recommended ? nb::object(text(report.rows[*recommended].compression))
                                   : nb::object(nb::none());
  out["explanation"] = text(quality_explanation(report));
  out["advice"] = text(quality_advice(report));
  out["no_recall"] = text(report.no_recall);
  return out;
}

SearchOptions search_options(std::string_view metric, std::size_t k, bool quantized,
                             std::optional<std::size_t> sample,
                             std::optional<std::size_t> queries) {
  const std::optional<cvc::quality::Metric> found = cvc::quality::metric_of_name(metric);
  if (!found) {
    raise_error(ErrorKind::kInvalidArgument,
                "unknown metric '" + std::string(metric) + "': l2, cosine or dot");
  }
  const auto from = quantized ? cvc::quality::Queries::kDecoded : cvc::quality::Queries::kOriginal;
  return {*found, k, from, sample, queries};
}

// Feeds the rows in chunks, and searches.
class Measuring {
 public:
  Measuring(const cvc::Rows& rows, std::string source, cvc::quality::InputType type,
            std::uint64_t chunk_rows, const SearchOptions& search, Executor& executor,
            PythonProgress& progress)
      : rows_(rows),
        source_(std::move(source)),
        type_(std::move(type)),
        chunk_rows_(chunk_rows),
        search_(search),
        executor_(executor),
        callback_(progress.function()) {}

  QualityReport run(std::vector<Candidate> candidates) {
    Measurement measurement(std::move(candidates), source_, rows_.dtype, rows_.dimension,
                            cvc::quality::sample_rows(search_, rows_.dimension), executor_);
    for (std::uint64_t first = 0; first < rows_.count; first += chunk_rows_) {
      measurement.add(chunk_at(first));
      report_progress(rows_.count);
    }
    measurement.finish();
    QualityReport report = report_of(measurement, source_, type_, rows_.dimension, search_);
    add_recalls(measurement, report, executor_,
                [&](std::size_t queries) { report_progress(queries); });
    return report;
  }

 private:
  // The rows of a chunk, contiguous.
  cvc::Rows chunk_at(std::uint64_t first) {
    const std::size_t row_bytes =
        static_cast<std::size_t>(rows_.dimension) * cvc::size_of(rows_.dtype);
    const std::size_t stride = rows_.stride == 0 ? row_bytes : rows_.stride;
    const std::uint64_t count = std::min(chunk_rows_, rows_.count - first);
    const auto* const data = static_cast<const std::byte*>(rows_.data) + first * stride;
    if (stride == row_bytes) return {rows_.dtype, data, count, rows_.dimension};
    buffer_.clear();
    for (std::uint64_t row = 0; row < count; ++row) {
      buffer_.insert(buffer_.end(), data + row * stride, data + row * stride + row_bytes);
    }
    return {rows_.dtype, buffer_.data(), count, rows_.dimension};
  }

  // Looks for signals.
  void report_progress(std::uint64_t steps) {
    steps_ += steps;
    if (callback_ && !callback_({steps_, 0})) throw Stopped();
  }

  cvc::Rows rows_;
  std::string source_;
  cvc::quality::InputType type_;
  std::uint64_t chunk_rows_;
  SearchOptions search_;
  Executor& executor_;
  ProgressCallback callback_;
  std::uint64_t steps_ = 0;
  std::vector<std::byte> buffer_;
};

nb::dict cvc_quality(const ConstRows& array, const std::string& source, const std::string& type,
                     std::size_t type_bytes,
                     const std::optional<std::vector<std::string>>& compressions,
                     std::uint64_t chunk_rows, std::string_view rounding, std::string_view metric,
                     std::size_t k, bool quantized_queries, std::optional<std::size_t> sample,
                     std::optional<std::size_t> queries, unsigned threads) {
  const cvc::Rows rows = rows_of(array);
  const SearchOptions search = search_options(metric, k, quantized_queries, sample, queries);
  std::vector<Candidate> candidates =
      candidates_of(compressions, rows.dimension, rounding_of(rounding));
  std::optional<ThreadExecutor> own;
  if (threads != 0) own.emplace(threads);
  Executor& executor = own ? *own : shared_executor();
  PythonProgress progress;
  std::optional<QualityReport> report;
  std::string failure;
  ErrorKind kind = ErrorKind::kNone;
  {
    const GilRelease release;
    try {
      Measuring measuring(rows, source, {type, type_bytes}, chunk_rows, search, executor, progress);
      report = measuring.run(std::move(candidates));
    } catch (const cvc::quality::Failed& failed) {
      kind = failed.kind();
      failure = failed.place() + ": " + failed.what();
    } catch (const Stopped&) {
    }
  }
  progress.rethrow();
  if (kind != ErrorKind::kNone) raise_error(kind, failure);
  return report_dict(*report);
}

}  // namespace

void bind_cvc_quality(nb::module_& m) {
  m.def("cvc_quality", &cvc_quality, nb::arg("rows"), nb::arg("source"), nb::arg("type"),
        nb::arg("type_bytes"), nb::arg("compressions").none(), nb::arg("chunk_rows"),
        nb::arg("rounding"), nb::arg("metric"), nb::arg("k"), nb::arg("quantized_queries"),
        nb::arg("sample").none(), nb::arg("queries").none(), nb::arg("threads"));
}

}  // namespace numpact::python
