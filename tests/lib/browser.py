"""A real browser, headless, driven through chromedriver by the W3C WebDriver protocol.

    with Browser(lab, host) as browser:
        browser.open("http://127.0.0.1:8080/")
        browser.text("#said")

It runs on a host of the lab, so it reaches what that host reaches and nothing else. Standard library
only; Debian's chromium and chromium-driver have to be installed.
"""

import base64
import http.client
import json
import re
import shutil
import socket

import case
import lab as lab_module

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the key of an element reference, WebDriver section 12
COMMAND_LIMIT_S = 60
KEYS = {"Tab": "\ue004", "Enter": "\ue007", "Escape": "\ue00c", "End": "\ue010", "Home": "\ue011",
        "Left": "\ue012", "Up": "\ue013", "Right": "\ue014", "Down": "\ue015", "Space": " "}
FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--disable-dev-shm-usage", "--hide-scrollbars", "--force-color-profile=srgb"]


class BrowserError(Exception):
    """chromedriver refused a command."""


class Browser:
    """One window of one browser with an empty profile."""

    def __init__(self, lab, host, width=1280, height=900):
        for program in ("chromium", "chromedriver"):
            case.need_program(program)
        self.host = host
        self.profile = lab.dir / f"profile-{len(lab.processes)}"
        self.driver = host.spawn(f"chromedriver-{len(lab.processes)}",
                                 ["chromedriver", "--port=0", "--log-level=WARNING"],
                                 {"HOME": str(lab.dir)})
        port = lab_module.wait_for("chromedriver listens", lambda: re.search(
            r"started successfully on port (\d+)", self.driver.log()), explain=self.driver.log)
        self.port = int(port[1])
        self.connection = None
        self.session = None
        self.session = self.command("POST", "", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome",
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
            "goog:chromeOptions": {
                "binary": shutil.which("chromium"),
                "args": [*FLAGS, f"--user-data-dir={self.profile}", f"--window-size={width},{height}"],
                "perfLoggingPrefs": {"enableNetwork": True, "enablePage": False}}}}})["sessionId"]
        self.size(width, height)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.close()

    def close(self):
        if self.session is not None:
            self.command("DELETE", "")
            self.session = None
        if self.driver.running():
            self.driver.end()

    def command(self, method, path, body=None):
        """One command of the session; gives its value."""
        if self.connection is None:
            with self.host.entered():
                sock = socket.create_connection(("127.0.0.1", self.port), COMMAND_LIMIT_S)
            self.connection = http.client.HTTPConnection("127.0.0.1", self.port)
            self.connection.sock = sock
        place = "/session" + (f"/{self.session}" if self.session else "") + path
        self.connection.request(method, place, None if method != "POST" else json.dumps(body or {}),
                                {"Content-Type": "application/json"})
        value = json.loads(self.connection.getresponse().read())["value"]
        if isinstance(value, dict) and "error" in value:
            raise BrowserError(f"{path}: {value['error']}: {value['message'].splitlines()[0]}")
        return value

    def devtools(self, name, **parameters):
        return self.command("POST", "/goog/cdp/execute", {"cmd": name, "params": parameters})

    # ---- the page

    def open(self, url):
        self.command("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        """Runs JavaScript there and gives what it returns."""
        return self.command("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def text(self, selector):
        """What can be read in the first such element; None: there is none, or it is hidden."""
        return self.run("const e = document.querySelector(arguments[0]);"
                        "return e && e.getClientRects().length ? e.innerText : null", selector)

    def texts(self, selector):
        return self.run("return [...document.querySelectorAll(arguments[0])].map(e => e.innerText)",
                        selector)

    def wait(self, what, check, timeout=lab_module.DEADLINE_S):
        """Until check() is true; gives its value."""
        return lab_module.wait_for(f"the page shows {what}", check, timeout,
                                   lambda: self.run("return document.body.innerText"))

    def click(self, selector):
        element = self.command("POST", "/element", {"using": "css selector", "value": selector})
        self.command("POST", f"/element/{element[ELEMENT]}/click")

    def keys(self, *names):
        """Presses keys, by the names above or as text, wherever the focus is."""
        pressed = [c for name in names for c in KEYS.get(name, name)]
        self.command("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": [
            {"type": kind, "value": c} for c in pressed for kind in ("keyDown", "keyUp")]}]})

    def size(self, width, height, scale=1):
        """The size of the page itself, in CSS pixels."""
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height,
                      deviceScaleFactor=scale, mobile=False)

    def media(self, **features):
        """media(prefers_color_scheme="dark"): what the user has set."""
        self.devtools("Emulation.setEmulatedMedia", features=[
            {"name": name.replace("_", "-"), "value": value} for name, value in features.items()])

    def picture(self, path):
        path.write_bytes(base64.b64decode(self.command("GET", "/screenshot")))

    # ---- what it did besides

    def log(self, kind):
        return self.command("POST", "/se/log", {"type": kind})

    def complaints(self):
        """What the console holds of warnings and errors since the last call."""
        return [line["message"] for line in self.log("browser") if line["level"] != "INFO"]

    def requested(self):
        """The addresses it asked for since the last call."""
        events = (json.loads(line["message"])["message"] for line in self.log("performance"))
        return [event["params"]["request"]["url"] for event in events
                if event["method"] == "Network.requestWillBeSent"]
