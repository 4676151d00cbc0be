import pytest

from askew.files import beside


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to(tmp_path / "real.csv")
    with beside(tmp_path / "link.csv") as written:
        written.write_text("new")
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").read_text() == "new"


def test_30_what_fails_half_way_leaves_the_old_file(tmp_path):
    (tmp_path / "page.md").write_text("old")

    def stopped():
        with beside(tmp_path / "page.md") as written:
            written.write_text("ne")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("page.md", "old")]


def test_a_file_keeps_who_may_read_it(tmp_path):
    (tmp_path / "page.md").write_text("old")
    (tmp_path / "page.md").chmod(0o640)
    with beside(tmp_path / "page.md") as written:
        written.write_text("new")
    assert (tmp_path / "page.md").stat().st_mode & 0o777 == 0o640
