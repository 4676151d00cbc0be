"""A headless Chromium that tests drive: one for all of them."""

import os
import shutil
import tempfile
from pathlib import Path

import pytest

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--force-prefers-reduced-motion",
)
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def start():
    """Return a driver of Chromium; skip the test, saying what is missing, where there is none."""
    selenium = pytest.importorskip("selenium.webdriver", reason="the browser tests need selenium")
    service = pytest.importorskip("selenium.webdriver.chrome.service")
    browser = os.environ.get("ASKEW_BROWSER") or next(filter(None, map(shutil.which, NAMES)), None)
    driver = shutil.which("chromedriver")
    if browser is None or driver is None:
        missing = "chromium" if browser is None else "chromedriver (package chromium-driver)"
        pytest.skip(f"the report's page is not tested: {missing} is not installed; `make browser` installs it")
    options = selenium.ChromeOptions()
    options.binary_location = browser
    profile = tempfile.mkdtemp(prefix="askew-browser-")
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return selenium.Chrome(options=options, service=service.Service(driver)), Path(profile)


class Page:
    """A report that is open in the browser."""

    def __init__(self, driver):
        self.driver = driver

    def open(self, path, width=1280, height=900, scheme="light"):
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        wanted = [{"name": "prefers-color-scheme", "value": scheme}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": wanted})
        self.driver.get_log("browser")
        self.driver.get(Path(path).as_uri())
        return self

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def find(self, selector):
        return self.driver.find_element("css selector", selector)

    def all(self, selector):
        return self.driver.find_elements("css selector", selector)

    def text(self, selector):
        return self.find(selector).text

    def press(self, *keys):
        self.driver.switch_to.active_element.send_keys(*keys)

    @property
    def complaints(self):
        """What the browser wrote to its console: errors, and what the page's policy has stopped."""
        return [entry["message"] for entry in self.driver.get_log("browser")]
