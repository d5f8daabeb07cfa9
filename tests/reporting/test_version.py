import re
import subprocess

from socialbias import __version__
from socialbias.reporting.version import code_version


def test_a_checkout_has_its_commit_and_says_whether_it_was_changed(tmp_path):
    def git(*arguments):
        who = ["-c", "user.name=A", "-c", "user.email=a@b.c"]
        command = ["git", "-C", str(tmp_path), *who, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    git("init")
    (tmp_path / "file").write_text("one")
    git("add", "file")
    git("commit", "-m", "First")
    git("tag", "-a", "v9", "-m", "A tag is no commit")
    commit = git("rev-parse", "--short=12", "HEAD")
    assert code_version(tmp_path) == f"socialbias {__version__}, commit {commit}"
    assert re.fullmatch(r"[0-9a-f]{12,}", commit)
    (tmp_path / "notes").write_text("of no account")  # not a part of the code
    assert code_version(tmp_path) == f"socialbias {__version__}, commit {commit}"
    (tmp_path / "file").write_text("two")
    changed = f"socialbias {__version__}, commit {commit} with uncommitted changes"
    assert code_version(tmp_path) == changed


def test_without_a_checkout_there_is_the_version_alone(tmp_path):
    inside = tmp_path / "installed"
    inside.mkdir()
    (tmp_path / ".git").mkdir()
    assert code_version(inside) == f"socialbias {__version__}"  # some other project's
    assert code_version(tmp_path) == f"socialbias {__version__}"  # not one that git can read
