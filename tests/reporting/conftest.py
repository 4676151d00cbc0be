import shutil

import browser
import pytest
import reports

import askew


@pytest.fixture(scope="session")
def driver():
    driver, profile = browser.start()
    yield driver
    driver.quit()
    shutil.rmtree(profile, ignore_errors=True)


@pytest.fixture
def page(driver):
    """The browser; at the end of a test its console must be empty."""
    page = browser.Page(driver)
    yield page
    assert page.complaints == []


@pytest.fixture(scope="session")
def written(tmp_path_factory):
    """Write the report of one of the models that tests share, once; returns its path."""
    folder, paths = tmp_path_factory.mktemp("reports"), {}

    def write(name):
        if name not in paths:
            path = folder / f"{name}.html"
            paths[name] = askew.report(reports.model(name), *reports.rows(name), path, title=f"Report of {name}")
        return paths[name]

    return write
