# SPDX-License-Identifier: Apache-2.0
"""Chromium without a window, driven by its DevTools protocol over a pair of pipes."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

CHROMIUM = "chromium"
# Waiting ends after so many seconds: a loaded machine is slow, but what takes so long hangs.
HANG_SECONDS = 1800


class Browser:
    """One tab. `events` has all that the browser reported, as (method, parameters)."""

    def __init__(self) -> None:
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        commands, self._to = os.pipe()
        self._from, answers = os.pipe()
        self._process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{commands} 4>&{answers}', "_", CHROMIUM, "--headless",
             "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run",
             f"--user-data-dir={self._profile.name}", "about:blank"],
            pass_fds=(commands, answers), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(commands)
        os.close(answers)
        self._rest = b""
        self._next = 0
        self._session: str | None = None
        self.events: list[tuple[str, dict[str, Any]]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "DOM"):
            self.call(f"{domain}.enable")

    def close(self) -> None:
        self._process.terminate()
        self._process.wait()
        os.close(self._to)
        os.close(self._from)
        self._profile.cleanup()

    def _message(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            block = os.read(self._from, 1 << 20)
            if not block:
                raise RuntimeError("Chromium has ended")
            self._rest += block
        message, _, self._rest = self._rest.partition(b"\0")
        return json.loads(message)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._next += 1
        command = {"id": self._next, "method": method, "params": parameters}
        if self._session:
            command["sessionId"] = self._session
        os.write(self._to, json.dumps(command).encode() + b"\0")
        while True:
            message = self._message()
            if message.get("id") == self._next:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            if "method" in message:
                self.events.append((message["method"], message["params"]))

    def evaluate(self, expression: str) -> Any:
        """The value of an expression, which may be a promise."""
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True,
                           returnByValue=True)  # fmt: skip
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"])[:2000])
        return answer["result"].get("value")

    def wait(self, condition: str) -> None:
        end = time.monotonic() + HANG_SECONDS
        while not self.evaluate(condition):
            if time.monotonic() > end:
                raise RuntimeError(f"never came true: {condition}")
            time.sleep(0.05)

    def go(self, url: str) -> None:
        self.call("Page.navigate", url=url)
        self.wait("document.readyState === 'complete'")

    def choose(self, selector: str, path: Path) -> None:
        """Puts a file into an input, as its dialog would."""
        found = self.call("Runtime.evaluate", expression=f"document.querySelector('{selector}')")
        self.call("DOM.setFileInputFiles", files=[str(path)],
                  objectId=found["result"]["objectId"])  # fmt: skip

    def press(self, key: str) -> None:
        code = {"Tab": 9, "Enter": 13}[key]
        text = {"text": "\r"} if key == "Enter" else {}
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key,
                      windowsVirtualKeyCode=code, **text)  # fmt: skip

    def draw(self) -> None:
        """Returns when the page has been laid out and drawn as it is now."""
        self.evaluate("new Promise(d => requestAnimationFrame(() => requestAnimationFrame(d)))"
                      ".then(() => null)")  # fmt: skip

    def resize(self, width: int, height: int) -> None:
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=width < 500)  # fmt: skip

    def screenshot(self, **options: Any) -> bytes:
        return base64.b64decode(
            self.call("Page.captureScreenshot", format="png", **options)["data"])  # fmt: skip
