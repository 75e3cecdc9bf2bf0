"""What a limited process returns about a file."""

from hypothesis import given
from hypothesis import strategies as st

from topdown.stacks.profile_warning import ProfileWarning
from topdown.stacks.symbols.file_identity import FileIdentity
from topdown.stacks.symbols.file_result import FileResult

NUMBERS = st.integers(0, 2**63 - 1)
PATHS = st.binary(min_size=1, max_size=20).filter(lambda path: b"\0" not in path)
IDENTITIES = st.builds(FileIdentity, PATHS, NUMBERS, NUMBERS, NUMBERS, NUMBERS, NUMBERS)
WARNINGS = st.builds(ProfileWarning, st.text(max_size=5), st.text(max_size=20))


@given(
    st.none() | WARNINGS,
    st.none() | st.lists(IDENTITIES, max_size=3).map(tuple),
    st.binary(max_size=30),
)
def test_a_decoded_result_equals_the_written_one(
    warning: ProfileWarning | None, identities: tuple[FileIdentity, ...] | None, content: bytes
) -> None:
    result = FileResult(warning, identities, memoryview(content))
    assert FileResult.decode(result.header() + content) == result
