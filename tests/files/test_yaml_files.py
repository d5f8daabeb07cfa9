import pytest
import yaml

from socialbias.files.yaml_files import parse_yaml


def test_equal_keys_in_different_mappings_and_merged_ones_are_none_of_a_mapping_s_own():
    text = "base: &base {a: 1, b: 2}\nmine: {<<: *base, a: 3}\nothers: [{a: 1}, {a: 2}]\n"
    read = parse_yaml(text)
    assert read["mine"] == {"a": 3, "b": 2}
    assert read["others"] == [{"a": 1}, {"a": 2}]


@pytest.mark.parametrize("text", ["a: 1\nb: 2\na: 3\n", "c:\n  - x\n  - {a: 1, b: 2, 'a': 3}\n"])
def test_a_key_that_stands_twice_in_a_mapping_is_an_error_that_names_its_line(text):
    with pytest.raises(yaml.YAMLError, match=r"^line 3: the key 'a' appears twice$"):
        parse_yaml(text)
