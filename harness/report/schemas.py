"""The documents of stallscope by schema name, for `stallscope schema` and for the tests.

A document is registered here when its type is added; the module is imported only if it is needed.
"""

import difflib
import importlib
import json
from typing import cast

from stallscope.documents import Document, Record, json_schema, schema_name
from stallscope.errors import UsageError
from stallscope.recordings import FORMAT, MAJOR

# Short name of a document, the module of its type, the type.
DOCUMENTS = {
    "bench.compare": ("harness.bench.compare.result", "BenchCompareResult"),
    "bench.history": ("harness.bench.history.result", "HistoryResult"),
    "bench.history.run": ("harness.bench.history.result", "HistoryRun"),
    "bench.gate": ("harness.bench.gate.result", "GateResult"),
    "bench.network": ("harness.bench.scale.network_result", "NetworkResult"),
    "bench.run": ("harness.bench.run.result", "BenchRunResult"),
    "bench.scale": ("harness.bench.scale.result", "BenchScaleResult"),
    "brief": ("harness.cli.brief", "BriefResult"),
    "cache.clear": ("harness.cache.result", "CacheClearResult"),
    "cache.show": ("harness.cache.result", "CacheShowResult"),
    "callers": ("harness.profile.callers", "CallersResult"),
    "cstates.advise": ("harness.cstates.advise.result", "AdviseResult"),
    "cstates.compare": ("harness.cstates.compare.result", "CStatesCompareResult"),
    "cstates.explain": ("harness.cstates.explain.result", "ExplainResult"),
    "cstates.latency": ("harness.cstates.latency.result", "LatencyResult"),
    "cstates.record": ("harness.cstates.record.result", "IdleResult"),
    "cstates.show": ("harness.cstates.show.result", "ShowResult"),
    "cstates.simulate": ("harness.cstates.simulate.result", "SimulateResult"),
    "data": ("harness.data.result", "DataResult"),
    "diagnose": ("harness.diagnose.result", "DiagnoseResult"),
    "diff": ("harness.diff.result", "DiffResult"),
    "doctor": ("harness.doctor.result", "DoctorResult"),
    "doctor.runtimes": ("harness.doctor.result", "RuntimesResult"),
    "doctor.fix": ("harness.doctor.result", "FixResult"),
    "fleet.diff": ("harness.fleet.diff.result", "FleetDiffResult"),
    "fleet.latency": ("harness.fleet.latency.result", "FleetLatencyResult"),
    "fleet.record": ("harness.fleet.record.result", "FleetRecordResult"),
    "fleet.slots": ("harness.fleet.slots.result", "FleetSlotsResult"),
    "fleet.top": ("harness.fleet.top.result", "FleetTopResult"),
    "fleet.waits": ("harness.fleet.waits.result", "FleetWaitsResult"),
    "pack": ("harness.pack.result", "PackResult"),
    "unpack": ("harness.pack.result", "UnpackResult"),
    "profile": ("harness.profile.result", "ProfileResult"),
    "recording.bench": ("harness.recordings.manifest", "BenchManifest"),
    "recording.counters": ("harness.recordings.collector_manifests", "CountersManifest"),
    "recording.idle": ("harness.recordings.manifest", "IdleManifest"),
    "recording.io": ("harness.recordings.manifest", "IoManifest"),
    "recording.load": ("harness.recordings.manifest", "LoadManifest"),
    "recording.samples": ("harness.recordings.collector_manifests", "SamplesManifest"),
    "record": ("harness.profile.record_result", "RecordResult"),
    "record.continuous": ("harness.continuous.result", "ContinuousResult"),
    "requests": ("harness.requests.result", "RequestsResult"),
    "self-test": ("topdown.slots.self_test.result", "SelfTestResult"),
    "top": ("harness.top.result", "TopResult"),
    "topdown": ("harness.topdown.result", "TopdownResult"),
    "topdown.replay": ("harness.topdown.replay.result", "ReplayResult"),
    "import": ("harness.exchange.result", "ImportResult"),
    "io.curve": ("harness.io.curve.result", "CurveResult"),
    "io.mix": ("harness.io.mix.result", "MixResult"),
    "io.probe": ("harness.io.probe.result", "ProbeResult"),
    "io.queue": ("harness.io.queue.result", "QueueResult"),
    "io.watch": ("harness.io.watch.result", "WatchResult"),
    "lab.kernels": ("harness.labs.kernels.result", "KernelsResult"),
    "lab.memory": ("harness.labs.memory.result", "MemoryResult"),
    "lab.scale": ("harness.labs.scale.result", "LabScaleResult"),
    "lab.stages": ("harness.labs.stages.result", "StagesResult"),
    "lab.stages.sweep": ("harness.labs.stages.sweep.result", "SweepResult"),
    "lab.storm": ("harness.labs.storm.result", "StormResult"),
    "lab.diagnose": ("harness.labs.diagnose.result", "DiagnoseLabResult"),
    "lab.waits": ("harness.labs.waits.result", "WaitsLabResult"),
    "load": ("harness.workload.results", "LoadResult"),
    "load.rates": ("harness.load.rates.result", "RatesResult"),
    "mcp.error": ("harness.mcp.result", "ToolError"),
    "pin": ("harness.pin.result", "PinPlanResult"),
    "pin.restore": ("harness.pin.result", "PinRestoreResult"),
    "pin.status": ("harness.pin.result", "PinStatusResult"),
    "serve": ("harness.serve.result", "ServeResult"),
    "waits": ("harness.waits.result", "WaitsResult"),
    "waits.compare": ("harness.waits.compare.result", "WaitsComparison"),
}


def document_type(name: str) -> type[Document | Record]:
    """Return the type of a document; UsageError names the nearest document if there is none."""
    short_name = name.removeprefix("stallscope.").partition("/")[0]
    if short_name not in DOCUMENTS:
        kinds = [kind for kind in DOCUMENTS if kind.startswith(f"{short_name}.")]
        near = kinds or difflib.get_close_matches(short_name, DOCUMENTS, n=1)
        hint = "list the names with: stallscope schema"
        if near:
            hint = f"did you mean {', '.join(near)}?"
        raise UsageError(f"there is no document {name!r}", hint)
    module, kind = DOCUMENTS[short_name]
    return cast("type[Document | Record]", getattr(importlib.import_module(module), kind))


def schema_text(name: str) -> str:
    """Return the JSON Schema of a document as indented JSON."""
    return json.dumps(json_schema(document_type(name)), indent=2) + "\n"


def full_name(name: str) -> str:
    """Return the schema name of a document with its version, such as "stallscope.io.curve/1"."""
    kind = document_type(name)
    if issubclass(kind, Document):
        return schema_name(kind)
    return f"{FORMAT}/{MAJOR}"  # recording.json; its kind is a field
