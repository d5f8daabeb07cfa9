"""What every reader promises of a file that it cannot read."""

import pytest

from socialbias.errors import UserError


def fails(read, path, match):
    """One line, which begins with the file's name."""
    with pytest.raises(UserError, match=match) as caught:
        read(path)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(str(path))
