#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: QuantizeLinear saturates: what is too large for int8 becomes 127, also in ONNX's own
#   reference evaluator.
# Seen: onnx 1.23.2: 300 becomes 127, but 1e10 and infinity become -128 in int8 and 0 in uint8, as
#   if they were cast to int32 first (on x86-64). onnxruntime 1.32.0 gives 127 and 255.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  onnx==1.23.2 onnxruntime==1.32.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
import onnxruntime
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

numbers = np.array([2.5, 300, -300, 1e9, 1e10, np.inf, -np.inf], np.float32)
for kind, name, reference, runtime in (
    (np.int8, "INT8", [2, 127, -128, 127, -128, -128, -128], [2, 127, -128, 127, 127, 127, -128]),
    (np.uint8, "UINT8", [2, 255, 0, 255, 0, 0, 0], [2, 255, 0, 255, 255, 255, 0]),
):
    stored = getattr(TensorProto, name)
    node = helper.make_node("QuantizeLinear", ["x", "scale", "zero"], ["y"])
    inputs = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, [None]),
        helper.make_tensor_value_info("scale", TensorProto.FLOAT, []),
        helper.make_tensor_value_info("zero", stored, []),
    ]
    output = helper.make_tensor_value_info("y", stored, [None])
    graph = helper.make_graph([node], "g", inputs, [output])
    opset = [helper.make_opsetid("", 21)]
    model = helper.make_model(graph, opset_imports=opset, ir_version=10)
    feed = {"x": numbers, "scale": np.array(1, "f4"), "zero": np.array(0, kind)}
    seen = ReferenceEvaluator(model).run(None, feed)[0].tolist()
    other = onnxruntime.InferenceSession(model.SerializeToString()).run(None, feed)[0].tolist()
    print(f"{name}: {numbers.tolist()} -> reference {seen}, onnxruntime {other}")
    assert seen == reference, "changed"
    assert other == runtime, "changed"
PY
echo "as recorded"
