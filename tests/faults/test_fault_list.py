"""Every fault of the list has a test with its number in its name."""

import re
from pathlib import Path

from faults.fault_list import FAULTS

NUMBERED = re.compile(r"def test_(\d\d)_")


def test_every_fault_has_a_test_with_its_number():
    files = Path(__file__).parents[1].glob("**/test_*.py")
    assert {int(number) for path in files for number in NUMBERED.findall(path.read_text("utf-8"))} == set(FAULTS)
    assert list(FAULTS) == list(range(1, 41))
