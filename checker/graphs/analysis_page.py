"""The tables of an analysis as text for the terminal, as Parquet files, and as one HTML page with plots.

The page needs nothing beside it: its plots are SVG inside it.
"""

import io
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jinja2
import pyarrow as pa
import pyarrow.parquet as pq
import pygal
from pygal.style import Style

from kafkacheck.checker.graphs import queries
from kafkacheck.checker.graphs.queries import Query

PAGE = "report.html"
MOST_ROWS = 40
"""How many rows of a table are printed; the files have all."""
WIDTH = 1000
"""Columns if there is no terminal: nothing is folded."""
STYLE = Style(
    background="transparent", plot_background="transparent", opacity=0.9, opacity_hover=1,
    colors=("#1c4e80", "#c62828", "#6a994e", "#e09f3e", "#7b2d8b", "#3d8b99"),
    font_family="system-ui, sans-serif", label_font_size=13, major_label_font_size=13, title_font_size=14,
    legend_font_size=13, tooltip_font_size=13, guide_stroke_color="#dddddd", major_guide_stroke_color="#dddddd",
    guide_stroke_dasharray="none", major_guide_stroke_dasharray="none",
)  # fmt: skip
WIDE, HIGH, ROW = 900, 340, 26
"""Pixels of a plot, and of one row of horizontal bars."""
MOST_LABELS = 24
"""How many labels stand side by side."""


def cell_text(value: Any) -> str:
    """One cell: numbers with thousands apart, nothing for null."""
    if value is None:
        return ""
    if isinstance(value, bool | str):
        return str(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:,.3f}"


def _number_text(value: float) -> str:
    """A number in a plot: whole numbers, and nothing between them."""
    return f"{value:,.0f}" if value == int(value) else ""


def table_text(title: str, found: pa.Table, is_terminal: bool) -> str:
    """A table for the terminal, with its title above."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column in found.schema:
        is_text = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
        table.add_column(column.name, justify="left" if is_text else "right")
    for row in found.slice(0, MOST_ROWS).to_pylist():
        table.add_row(*map(cell_text, row.values()))
    text = io.StringIO()
    width = None if is_terminal else WIDTH
    Console(file=text, force_terminal=is_terminal, width=width, markup=False, emoji=False).print(table)
    lines = [title, *(line.rstrip() for line in text.getvalue().rstrip().split("\n"))]
    if not len(found):
        lines = [title, "none"]
    if len(found) > MOST_ROWS:
        lines.append(f"... and {len(found) - MOST_ROWS} more rows")
    return "\n".join(lines)


def write(folder: Path, manifest: Mapping[str, Any], tables: Mapping[str, pa.Table]) -> None:
    """Write every table as `<name>.parquet`, and the page, into a folder."""
    for name, table in tables.items():
        pq.write_table(table, folder / f"{name}.parquet", write_page_checksum=True)
    (folder / PAGE).write_text(page(manifest, tables), encoding="utf-8")


def page(manifest: Mapping[str, Any], tables: Mapping[str, pa.Table]) -> str:
    """The HTML page."""
    sections = [
        {
            "name": name,
            "query": query,
            "heads": tables[name].column_names,
            "rows": [[cell_text(value) for value in row.values()] for row in tables[name].to_pylist()],
            "chart": chart(query, tables[name]),
        }
        for name, query in queries.tables(dict(manifest)).items()
    ]
    loader = jinja2.FileSystemLoader(Path(__file__).parent)
    environment = jinja2.Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    return environment.get_template("analysis.html").render(run=manifest, sections=sections)


def chart(query: Query, table: pa.Table) -> str | None:
    """The plot of a table as SVG text, or None if it has none."""
    if not query.chart or not len(table):
        return None
    rows = table.to_pylist()
    about = next(name for name in table.column_names if name != query.series)
    places = sorted({row[about] for row in rows}) if query.series else [row[about] for row in rows]
    across = query.chart == "across"
    kind = {"line": pygal.Line, "bar": pygal.Bar, "across": pygal.HorizontalBar}[query.chart]
    titles = [about.replace("_", " "), query.value]
    drawn = kind(
        width=WIDE, height=80 + ROW * len(places) if across else HIGH, js=[], show_legend=bool(query.series),
        legend_at_bottom=True, title=None, x_title=titles[across], y_title=titles[not across],
        x_labels_major_every=1 + len(places) // MOST_LABELS, show_minor_x_labels=across, style=STYLE, margin_right=30,
        disable_xml_declaration=True, formatter=_number_text, value_formatter=_number_text, spacing=6, dots_size=2,
        order_min=0,
    )  # fmt: skip
    if across:
        rows, places = rows[::-1], places[::-1]  # such a plot begins at the bottom
    drawn.x_labels = [str(place) for place in places]
    for name in dict.fromkeys(row[query.series] for row in rows) if query.series else [query.value]:
        values = {row[about]: row[query.value] for row in rows if not query.series or row[query.series] == name}
        drawn.add(name, [values.get(place) for place in places])
    return re.sub(r"<script.*?</script>", "", str(drawn.render(is_unicode=True)), flags=re.DOTALL)
