# SPDX-License-Identifier: Apache-2.0
"""Reading into the memory of a GPU: stored bytes go there, and are decoded there.

``_read`` finds the rows that are wanted, ``_arrays`` is where they go, and a decoder takes the
bytes there: ``_triton`` (with ``_blocks``, what it copies, and ``_kernels``) or ``_cuda``.
"""
