# SPDX-License-Identifier: GPL-3.0-or-later
"""A headless Chromium driven by the WebDriver protocol (W3C), with nothing but Python's own."""

import base64
import json
import re
import shutil
import subprocess
import tempfile
import urllib.request

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--hide-scrollbars"]
KEYS = {"Escape": "\ue00c", "Enter": "\ue007", "Tab": "\ue004"}


def missing():
    """What is not installed, or ""."""
    return " and ".join(name for name in ("chromium", "chromedriver")
                        if shutil.which(name) is None)


class Browser:
    """One page at a time; use as a context manager."""

    def __init__(self, width=1280, height=1000, dark=False):
        self.folder = tempfile.mkdtemp(prefix="asmsweep-chromium-")
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, text=True)
        try:
            self.base = self._address()
            self.base += "/session/" + self._session(width, height, dark)
        except BaseException:
            self._end()
            raise

    def _address(self):
        for line in self.driver.stdout:
            found = re.search(r"successfully on port (\d+)", line)
            if found:
                return f"http://127.0.0.1:{found[1]}"
        raise RuntimeError("chromedriver did not start")

    def _session(self, width, height, dark):
        flags = FLAGS + [f"--user-data-dir={self.folder}", f"--window-size={width},{height}"]
        flags += ["--blink-settings=preferredColorScheme=0"] if dark else []
        options = {"args": flags, "binary": shutil.which("chromium")}
        if width < 500:  # narrower than a window may be: a telephone
            options["mobileEmulation"] = {"deviceMetrics": {
                "width": width, "height": height, "pixelRatio": 1.0, "mobile": True}}
        return self._call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL"}}}})["sessionId"]

    def _end(self):
        self.driver.terminate()
        self.driver.wait(timeout=10)
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self._call("DELETE", "")
        finally:
            self._end()

    def _call(self, method, path, body=None):
        data = None if method != "POST" else json.dumps(body or {}).encode()
        request = urllib.request.Request(self.base + path, data, method=method,
                                         headers={"Content-Type": "application/json"})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=30) as answer:
            return json.load(answer)["value"]

    def open(self, path, anchor=""):
        self._call("POST", "/url", {"url": f"file://{path}{anchor}"})

    def run(self, script, *arguments):
        """The value of a script's `return`."""
        return self._call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def keys(self, text):
        """Type on the keyboard, wherever the focus is."""
        text = KEYS.get(text, text)
        actions = [{"type": kind, "value": letter} for letter in text
                   for kind in ("keyDown", "keyUp")]
        self._call("POST", "/actions", {"actions": [
            {"type": "key", "id": "keyboard", "actions": actions}]})

    def click(self, selector):
        self.run("document.querySelector(arguments[0]).click()", selector)

    def errors(self):
        """What the console said."""
        return [entry["message"] for entry in self._call("POST", "/se/log", {"type": "browser"})]

    def picture(self, path):
        with open(path, "wb") as stream:
            stream.write(base64.b64decode(self._call("GET", "/screenshot")))
