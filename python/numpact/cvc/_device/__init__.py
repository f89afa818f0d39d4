# SPDX-License-Identifier: Apache-2.0
"""Reads into the memory of a GPU: stored bytes are copied to it and decoded there.

Each module imports only those before it: ``_packages`` (PyTorch and CuPy), ``_kernels`` (of
Triton), ``_blocks`` (the bytes to copy for some rows), ``_arrays`` (the results), the decoders
``_cuda`` and ``_triton``, and ``_read`` (the rows and chunks of a call).
"""
