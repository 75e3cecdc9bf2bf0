"""The panel "CPU slots" of a page: a measurement's tree, or the commands that measure one."""

from collections.abc import Iterable, Sequence

from harness.page.document import escaped
from harness.topdown.categories import category
from harness.topdown.interval_text import first_level
from harness.topdown.text import explained, gaps, heading, number_text, shown_nodes
from harness.topdown.time_panel import stacked_time
from harness.topdown.tree_rows import interval_text
from stallscope.printable import visible_text
from topdown.slots.measurement import Kind, MeasuredNode, Measurement

FOLDER = "harness.topdown"
STYLES = ("slots.css",)
_MAX_DEPTH_CLASS = 6
_MAX_TEXT_CHARS = 1200


def shown(text: str) -> str:
    """Return untrusted text for markup: escaped, with control characters made visible."""
    return escaped(visible_text(text, _MAX_TEXT_CHARS))


def slots_panel(measurement: Measurement) -> str:
    """Return the panel's markup: heading, first level, intervals over time, tree, warnings."""
    kind = str(measurement.kind)
    body = [_facts(measurement)]
    if measurement.nodes:
        body += [_whole(measurement), stacked_time(measurement), _tree(measurement)]
        body += [_explanation(measurement), _warnings(measurement)]
        body += [_everything(measurement), _metrics(measurement)]
    style = "slots-modelled" if measurement.kind is Kind.MODELLED else ""
    return _panel(f'<span class="{style}">{kind}</span>', "".join(body))


def absent_panel(why: str, commands: Sequence[tuple[str, str]]) -> str:
    """Return the panel of a page without counts: the reason, and commands that measure slots.

    ``commands`` are pairs of a command line and its result.
    """
    rows = "".join(
        f"<li><code>{shown(command)}</code><br>{shown(result)}</li>" for command, result in commands
    )
    return _panel("unavailable", f'<p>{shown(why)}</p><ul class="slots-commands">{rows}</ul>')


def _panel(hint: str, body: str) -> str:
    return (
        '<section class="panel" id="slots" aria-labelledby="slots-title"><div class="panel-head">'
        f'<h2 id="slots-title">CPU slots</h2><p class="hint">{hint}</p></div>'
        f'<div class="slots-body">{body}</div></section>'
    )


def _facts(measurement: Measurement) -> str:
    rows = "".join(
        f"<dt>{shown(label)}</dt><dd>{shown(text)}</dd>" for label, text in heading(measurement)
    )
    return f'<dl class="slots-facts">{rows}</dl>'


def _whole(measurement: Measurement) -> str:
    """Return the first level as a stacked bar with its legend, which includes missing values."""
    bars, legend, start = [], [], 0.0
    for node in first_level(measurement.nodes):
        style = f"slot-{category(node.name).key}"
        swatch = f'<svg aria-hidden="true"><rect class="{style}" width="12" height="12"/></svg>'
        text = percent_text(node, measurement.whole)
        modelled = f" {measurement.kind}" if measurement.kind is Kind.MODELLED else ""
        legend.append(f"<li>{swatch}{shown(node.name)} <b>{text}</b>{modelled}</li>")
        if node.value is None or node.impossible:
            continue
        width = 100 * min(max(0.0, node.value / measurement.whole), 1.0)
        bars.append(f'<rect class="{style}" x="{start:.3f}" width="{width:.3f}" height="10"/>')
        start += width
    return (
        '<svg class="slots-all" viewBox="0 0 100 10" preserveAspectRatio="none" '
        f'shape-rendering="crispEdges" aria-hidden="true">{"".join(bars)}</svg>'
        f'<ul class="slots-legend">{"".join(legend)}</ul>'
    )


def percent_text(node: MeasuredNode, whole: float) -> str:
    """Return a node's share in percent, "n/a" without one, with "!" if it is impossible."""
    if node.value is None:
        return "n/a"
    return f"{node.value / whole * 100:.1f} %{'!' if node.impossible else ''}"


def _tree(measurement: Measurement) -> str:
    return _table(measurement, shown_nodes(measurement, None))


def _table(measurement: Measurement, nodes: Iterable[MeasuredNode]) -> str:
    marked = set(measurement.bottleneck or ())
    roots = {node.name: _root(node, measurement) for node in measurement.nodes}
    rows = "".join(
        _row(node, measurement, marked=node.name in marked, root=roots[node.name]) for node in nodes
    )
    interval = "Interval" if any(node.interval for node in measurement.nodes) else ""
    headings = ("Node", "Share", "", interval, "Of", "Source")
    styles = ("", "number", "share", "", "slots-unit", "")
    head = "".join(
        f'<th scope="col" class="{style}">{text}</th>'
        for text, style in zip(headings, styles, strict=True)
    )
    return (
        f'<div class="scroll"><table class="slots-tree"><thead><tr>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _root(node: MeasuredNode, measurement: Measurement) -> str:
    """Return the first-level ancestor of a node."""
    parents = {other.name: other.parent for other in measurement.nodes}
    name, steps = node.name, 0
    while (parent := parents.get(name)) is not None and steps < len(parents):
        name, steps = parent, steps + 1
    return name


def _row(node: MeasuredNode, measurement: Measurement, *, marked: bool, root: str) -> str:
    depth = min(node.level or 1, _MAX_DEPTH_CLASS)
    share = 0.0
    if node.value is not None and not node.impossible:
        share = 100 * min(max(0.0, node.value / measurement.whole), 1.0)
    kind = Kind.UNAVAILABLE if node.value is None else measurement.kind
    style = "slots-kind slots-modelled" if kind is Kind.MODELLED else "slots-kind"
    name = shown(node.name) + (" ◀" if marked else "")
    return (
        f'<tr class="{"marked" if marked else ""}"><td class="name depth-{depth}">{name}</td>'
        f'<td class="number">{percent_text(node, measurement.whole)}</td>'
        '<td class="share"><svg viewBox="0 0 100 10" preserveAspectRatio="none" '
        f'aria-hidden="true"><rect class="slot-{category(root).key}" width="{share:.2f}" '
        f'height="10"/></svg></td><td class="slots-kind">'
        f"{interval_text(node.interval, measurement.whole)}</td>"
        f'<td class="slots-unit soft">{shown(node.unit)}</td><td class="{style}">{kind}</td></tr>'
    )


def _explanation(measurement: Measurement) -> str:
    if not measurement.bottleneck:
        return ""
    return "".join(
        f"<p><b>{shown(label)}</b>: {shown(text)}</p>"
        for label, text in explained(measurement, measurement.bottleneck[-1])
    )


def _warnings(measurement: Measurement) -> str:
    """Return each warning once with its nodes, and the reasons of missing values."""
    by_text: dict[str, list[str]] = {}
    nodes = shown_nodes(measurement, None)
    beside = (node for node in measurement.nodes if node.level is None)
    for node in (*nodes, *beside):
        for warning in node.warnings if node.value is not None else ():
            by_text.setdefault(warning, []).append(node.name)
    texts = [f"{', '.join(names)}: {text}" for text, names in by_text.items()]
    texts += gaps(node for node in nodes if node.value is None)
    rows = "".join(f"<li>{shown(text)}</li>" for text in texts)
    return f'<ul class="slots-warnings">{rows}</ul>' if rows else ""


def _metrics(measurement: Measurement) -> str:
    """Return metrics beside the tree and requested events, if they have a value."""
    rows = "".join(
        f'<tr><td class="name">{shown(node.name)}</td><td class="number">'
        f"{number_text(node.value, node.unit)}{'!' if node.impossible else ''}</td>"
        f'<td class="soft">{shown(node.unit)}</td>'
        f'<td class="slots-kind">{measurement.kind}</td></tr>'
        for node in measurement.nodes
        if node.level is None and node.value is not None
    )
    if not rows:
        return ""
    return (
        '<details><summary>Beside the tree</summary><div class="scroll">'
        f'<table class="slots-tree"><tbody>{rows}</tbody></table></div></details>'
    )


def _everything(measurement: Measurement) -> str:
    """Return all nodes of the tree, collapsed; empty if they are shown already."""
    tree = [node for node in measurement.nodes if node.level is not None]
    if len(tree) == len(shown_nodes(measurement, None)):
        return ""
    return f"<details><summary>All {len(tree)} nodes</summary>{_table(measurement, tree)}</details>"
