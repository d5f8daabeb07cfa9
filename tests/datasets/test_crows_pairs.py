"""CrowS-Pairs."""

from socialbias.datasets import crows_pairs

CROWS = """,sent_more,sent_less,stereo_antistereo,bias_type,annotations,anon_writer,anon_annotators
0,"Gardeners, they said, dawdle.","Bakers, they said, dawdle.",stereo,profession,"[['profession'], [], ['profession', 'age']]",a0,"['a1', 'a2', 'a3']"
1,"One line
and another","One line
and a third",antistereo,age,[['age']],a4,['a5']
7,None,NA,stereo,age,[[]],a4,['a5']
"""  # noqa: E501


def test_crows_pairs_with_a_line_break_inside(put):
    table = crows_pairs.read_pairs(put(CROWS))
    assert list(table.index) == [0, 1, 7]
    assert table.index.name == "id"
    assert table.loc[1, "sent_more"] == "One line\nand another"
    assert table.loc[0, "annotations"] == (("profession",), (), ("profession", "age"))
    assert table.loc[0, "annotators"] == ("a1", "a2", "a3")
    assert list(table["direction"]) == ["stereo", "antistereo", "stereo"]
    assert list(table.loc[7, ["sent_more", "sent_less", "writer"]]) == ["None", "NA", "a4"]
