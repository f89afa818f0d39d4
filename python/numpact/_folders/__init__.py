# SPDX-License-Identifier: Apache-2.0
"""Tables in folders of columns: ``write_table``, ``open_table`` and related functions.

docs/format/table-folder.md specifies the folders. Each module imports only those before it:

* ``columns``: Arrow's fields in the words of a manifest, and back.
* ``values``: values of filters that are objects of Python, as text.
* ``filters``: filters, bound to columns of numbers and to ranges of chunks.
* ``other_filters``: filters of the other columns.
* ``writing``: ``write_table``.
* ``appending``: ``append_table``.
* ``sources``: the columns of an open folder, by ranges of rows.
* ``scanning``: reads the rows that match a filter.
* ``pandas_frame``: tables as frames of pandas.
* ``choosing``: columns and rows that a caller names.
* ``row_numbers``: rows by their numbers.
* ``polars_predicates``: expressions of polars as conditions.
* ``arrow_predicates``: those of pyarrow.
* ``expressions``: filters that are expressions of polars or pyarrow.
* ``tabular``: ``Table``, and what it has in common with ``OpenTable``.
* ``arrow_dataset``: open tables as datasets of pyarrow.
* ``tables``: ``OpenTable``, ``open_table`` and ``read_table``.
* ``row_tests``: filters of decoded rows, and what excludes a folder of a dataset before.
* ``polars_scan``: ``scan_table``.
* ``indexing``: ``index_dataset``.
* ``partitioning``: ``write_table(partition_by=...)``.
"""

from .._optional import require

# Before the modules import it: this error names the package to install.
require("pyarrow", "arrow")
