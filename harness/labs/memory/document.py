"""The memory lab's document for scripts, schema ``stallscope.lab.memory/1``."""

from harness.labs.memory.caches import CacheRow
from harness.labs.memory.experiment import LabResults, SectionResults
from harness.labs.memory.findings import Findings
from harness.labs.memory.levels import Level
from harness.labs.memory.plan import Section
from harness.labs.memory.points import LeftOut, Measured, Point, ThreadChase
from stallscope.cpu_caches import CpuCache

SCHEMA = "stallscope.lab.memory/1"
Json = dict[str, object]


def lab_document(results: LabResults, findings: Findings, cpu_model: str) -> Json:
    """Return the document: latencies in ns of a step, sizes in bytes; null is not known."""
    machine = results.machine
    return {
        "schema": SCHEMA,
        "machine": {
            "cpu": cpu_model,
            "cpus": list(machine.cpus),
            "nodes": [{"node": node.number, "cpus": list(node.cpus)} for node in machine.nodes],
            "caches": [_told(cache) for cache in machine.caches],
            "memory_limit_bytes": results.limit_bytes,
        },
        "settings": results.settings and results.settings.document(),
        "seconds": results.seconds,
        "interrupted": results.interrupted,
        "warnings": list(findings.warnings),
        "huge_pages": findings.pages_got,
        "levels_from": findings.levels_from,
        "levels": [_row(row) for row in findings.rows],
        "ways": [
            {
                "level": ways.level,
                "fits_lines": ways.fits,
                "exceeds_lines": ways.exceeds,
                "way_bytes": ways.way_bytes,
                "told_ways": ways.told,
            }
            for ways in findings.ways
        ],
        "counters": _counters(findings),
        **{section.value: _section(results.section(section)) for section in Section},
    }


def _told(cache: CpuCache) -> Json:
    return {
        "level": cache.level,
        "size_bytes": cache.size_bytes,
        "ways": cache.ways,
        "line_bytes": cache.line_bytes,
        "shared_cpus": cache.shared_cpus,
    }


def _row(row: CacheRow) -> Json:
    return {
        "name": row.name,
        "found": _found(row.found) if row.found else None,
        "told_bytes": row.told.size_bytes if row.told else None,
        "verdict": row.verdict,
    }


def _found(level: Level) -> Json:
    return {
        "latency_ns": level.latency_ns,
        "fits_bytes": level.fits_bytes,
        "exceeds_bytes": level.exceeds_bytes,
        "confidence": level.confidence,
        "noise": level.noise,
    }


def _counters(findings: Findings) -> Json:
    return {
        "kind": "measured" if findings.counters else "unavailable",
        "counted": list(findings.counters),
        "refused": findings.counters_refused,
    }


def _section(section: SectionResults) -> Json:
    return {
        "points": [_measured(each) for each in section.measured],
        "left_out": [_left_out(each) for each in section.left_out],
        "note": section.note or None,
    }


def _point(point: Point) -> Json:
    return {
        "ring_bytes": point.ring_bytes,
        "lines": point.lines,
        "stride_bytes": point.stride_bytes,
        "pages": point.pages,
        "cpus": list(point.cpus),
        "node": point.node,
    }


def _measured(each: Measured) -> Json:
    return {
        **_point(each.point),
        "kind": "measured",
        "least_ns": each.least_ns,
        "median_ns": each.median_ns,
        "most_ns": each.most_ns,
        "threads": [_thread(thread) for thread in each.threads],
    }


def _thread(thread: ThreadChase) -> Json:
    return {
        "latency_ns": list(thread.latency_ns),
        "pages_got": thread.pages.kind,
        "huge_bytes": thread.pages.huge_bytes,
        "page_bytes": thread.pages.page_bytes,
        "pages_by_node": {str(node): pages for node, pages in thread.pages_by_node.items()},
        "counts_per_step": dict(thread.counts_per_step),
    }


def _left_out(each: LeftOut) -> Json:
    return {**_point(each.point), "why": each.why}
