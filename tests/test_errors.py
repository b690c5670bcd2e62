"""Optional packages: there, missing, or there and broken."""

import pytest

from abcnn.errors import AbcnnError, require


def test_a_package_that_is_there():
    assert require("json", "any").loads("1") == 1


@pytest.mark.parametrize("module", ["no_such_package", "no_such_package.inner"])
def test_a_missing_one_gives_one_line_that_helps(module):
    with pytest.raises(AbcnnError) as failure:
        require(module, "serve")
    assert str(failure.value) == f"{module} is not installed: pip install 'abcnn[serve]'"


def test_what_a_package_itself_lacks_is_not_hidden(tmp_path, monkeypatch):
    (tmp_path / "half_installed.py").write_text("import no_such_package")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="no_such_package"):
        require("half_installed", "serve")
