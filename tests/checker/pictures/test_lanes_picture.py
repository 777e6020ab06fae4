"""Words across all lanes fit the picture."""

import re
from dataclasses import replace

from kafkacheck.checker.pictures.canvas import Style, width_of
from kafkacheck.checker.pictures.lanes_picture import lanes_svg
from tests.support.behaviours import run
from tests.support.relay import LANES, LOSS, MODEL


def test_long_banners_are_written_in_lines_that_fit():
    name = "no_item_is_lost_" * 8 + "ever"
    stuck = replace(run(MODEL, LOSS, None), property=name)
    picture = lanes_svg(stuck, LANES, None)
    (width,) = re.findall(r'<svg [^>]*width="([0-9.]+)pt"', picture)
    large = Style(15, "#222222", bold=True)
    titles = re.findall(r'<text [^>]*font-size="15"[^>]*>([^<]*)<', picture)
    assert "".join(titles) == f"relay: {name}" and len(titles) > 1
    assert all(width_of(title, large) <= float(width) for title in titles)
