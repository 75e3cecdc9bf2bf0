"""Every document equals itself after it was encoded and decoded."""

from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import UNSET, inspect

from harness.report.schemas import DOCUMENTS, document_type
from stallscope.documents import decode, encode
from tests.long_tests import long_tests

EXAMPLES = long_tests(short=6, long=1000)
MAX_ITEMS = 2
pytestmark = pytest.mark.long


def integers(kind: inspect.IntType) -> st.SearchStrategy[int]:
    low = kind.ge if kind.ge is not None else kind.gt + 1 if kind.gt is not None else None
    high = kind.le if kind.le is not None else kind.lt - 1 if kind.lt is not None else None
    return st.integers(low, high)


def floats(kind: inspect.FloatType) -> st.SearchStrategy[float]:
    low = kind.ge if kind.ge is not None else kind.gt
    high = kind.le if kind.le is not None else kind.lt
    # NaN is encoded as null.
    return st.floats(
        low, high, allow_nan=False, exclude_min=kind.gt is not None, exclude_max=kind.lt is not None
    )


def texts(kind: inspect.StrType) -> st.SearchStrategy[str]:
    return st.from_regex(kind.pattern) if kind.pattern else st.text(max_size=8)


def sequences(kind: Any) -> st.SearchStrategy[Any]:
    least = kind.min_length or 0
    most = max(least, min(MAX_ITEMS, kind.max_length or MAX_ITEMS))
    items = st.lists(values(kind.item_type), min_size=least, max_size=most)
    return items if isinstance(kind, inspect.ListType) else items.map(tuple)


def mappings(kind: inspect.DictType) -> st.SearchStrategy[dict[Any, Any]]:
    return st.dictionaries(values(kind.key_type), values(kind.value_type), max_size=MAX_ITEMS)


def valid(build: Any, fields: dict[str, Any]) -> Any:
    """Return the object; None if its fields contradict each other."""
    try:
        return build(**fields)
    except ValueError:
        return None


def objects(kind: Any) -> st.SearchStrategy[Any]:
    fields = {part.name: values(part.type) for part in kind.fields}
    built = st.fixed_dictionaries(fields).map(lambda chosen: valid(kind.cls, chosen))
    return built.filter(lambda value: value is not None)


SIMPLE = {
    inspect.NoneType: st.none(),
    inspect.BoolType: st.booleans(),
    inspect.AnyType: st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=8),
}
MAKERS = {
    inspect.StrType: texts,
    inspect.IntType: integers,
    inspect.FloatType: floats,
    inspect.StructType: objects,
    inspect.DataclassType: objects,
    inspect.VarTupleType: sequences,
    inspect.ListType: sequences,
    inspect.DictType: mappings,
    inspect.UnionType: lambda kind: st.one_of(*map(values, kind.types)),
    inspect.TupleType: lambda kind: st.tuples(*map(values, kind.item_types)),
    inspect.LiteralType: lambda kind: st.sampled_from(kind.values),
    inspect.EnumType: lambda kind: st.sampled_from(list(kind.cls)),
    inspect.CustomType: lambda _: st.just(UNSET),
}


def values(kind: inspect.Type) -> st.SearchStrategy[Any]:
    """Return the values of a type within its bounds."""
    if type(kind) in SIMPLE:
        return SIMPLE[type(kind)]
    return MAKERS[type(kind)](kind)


@cache
def documents(name: str) -> st.SearchStrategy[Any]:
    """Return the documents of a registered name."""
    return values(inspect.type_info(document_type(name)))


@pytest.mark.parametrize("name", DOCUMENTS)
@settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_decoded_document_equals_the_encoded_one(name: str, data: st.DataObject) -> None:
    document = data.draw(documents(name))
    assert decode(encode(document), document_type(name), name) == document
