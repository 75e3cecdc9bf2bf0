"""Modules in the profile's document."""

from pathlib import Path

from msgspec.structs import replace

from harness.profile.module_result import ProfileModule
from harness.profile.result import profile_result
from stallscope.documents import UNSET
from tests.harness.profile.grouped_profiles import analysis_with_modules


def test_modules_have_shares_and_kinds() -> None:
    result = profile_result(analysis_with_modules(), recording=Path("run"), report=None)
    assert result.modules == (
        ProfileModule(
            name="java.util", kind="java", self_share=0.6, total_share=1.0, self_samples=2
        ),
        ProfileModule(
            name="<b>\x1b.so", kind="user", self_share=0.4, total_share=0.4, self_samples=1
        ),
    )


def test_modules_are_limited_to_the_rows_printed() -> None:
    result = profile_result(analysis_with_modules(), recording=Path("run"), report=None, top=1)
    assert isinstance(result.modules, tuple)
    assert [module.name for module in result.modules] == ["java.util"]


def test_the_key_is_absent_if_modules_were_not_requested() -> None:
    analysis = replace(analysis_with_modules(), modules=None)
    assert profile_result(analysis, recording=Path("run"), report=None).modules is UNSET
