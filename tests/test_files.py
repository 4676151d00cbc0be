import fcntl
import os

import pytest

from askew.files import beside, remove_unfinished, unfinished


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to(tmp_path / "real.csv")
    with beside(tmp_path / "link.csv") as written:
        written.write_text("new")
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").read_text() == "new"


def test_30_an_interrupted_write_leaves_the_old_file(tmp_path):
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


def left_by_a_killed_process(folder):
    path = folder / ".askew-0123456789abcdef.tmp"
    path.write_bytes(b"half of a mod")
    return path


def test_30_the_unfinished_file_of_a_killed_process_is_removed(tmp_path):
    path = left_by_a_killed_process(tmp_path)
    (tmp_path / ".askew-notes.txt").write_text("not ours")
    remove_unfinished(tmp_path)
    assert not path.exists()
    assert (tmp_path / ".askew-notes.txt").exists()


def test_30_the_file_of_a_living_writer_stays_until_it_is_done(tmp_path):
    with unfinished(tmp_path) as (descriptor, path):
        os.close(descriptor)  # the lock outlasts what is written
        remove_unfinished(tmp_path)
        assert path.exists()
    assert not list(tmp_path.iterdir())


def test_30_a_file_that_is_removed_before_its_writer_locks_it_is_made_again(tmp_path, monkeypatch):
    lock, removed = fcntl.flock, []

    def slow(file, how):
        if how == fcntl.LOCK_EX and not removed:  # the writer, for the first time
            removed.extend(tmp_path.iterdir())
            remove_unfinished(tmp_path)
        lock(file, how)

    monkeypatch.setattr(fcntl, "flock", slow)
    with unfinished(tmp_path) as (descriptor, path):
        os.close(descriptor)
        assert path.exists()
        assert removed != [path]


def test_30_where_files_cannot_be_locked_nothing_is_removed(tmp_path, monkeypatch):
    def unable(file, how):
        raise OSError("no locks available")

    monkeypatch.setattr(fcntl, "flock", unable)
    path = left_by_a_killed_process(tmp_path)
    with unfinished(tmp_path) as (descriptor, _):
        os.close(descriptor)
        remove_unfinished(tmp_path)
    assert path.exists()
