"""Write `SecretStr` values as the references that they are; Pydantic writes stars. Payloads have no secrets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING, cast

from pydantic import Secret, SecretBytes, SecretStr
from pydantic_core import PydanticSerializationError

if TYPE_CHECKING:
    from jobplane.core.model import Json


def reveal(written: Json, values: object) -> Json:
    """The JSON of some values with the text of each SecretStr and SecretBytes. Raises PydanticSerializationError.

    Where a serializer of the user's own has given the JSON another shape, the stars stay, and the schema refuses them.
    """
    match values:
        case SecretStr():
            return values.get_secret_value()
        case SecretBytes():
            return values.get_secret_value().decode()
        case Secret():
            raise PydanticSerializationError("A Secret is written as stars. Use SecretStr, with a reference in it.")
        case Mapping() if isinstance(written, Mapping) and len(written) == len(cast("Mapping[object, object]", values)):
            return _reveal_items(written, cast("Mapping[object, object]", values))
        case Sequence() | Set() if isinstance(written, Sequence) and not isinstance(written, str):
            items = cast("Sequence[object]", values)
            return (
                [reveal(*pair) for pair in zip(written, items, strict=True)] if len(written) == len(items) else written
            )
        case _:
            return written


def _reveal_items(written: Mapping[str, Json], values: Mapping[object, object]) -> dict[str, Json]:
    if any(isinstance(name, SecretStr | SecretBytes | Secret) for name in values):
        raise PydanticSerializationError("A name in an object cannot be a secret.")
    pairs = zip(written.items(), values.values(), strict=True)
    return {name: reveal(item, value) for (name, item), value in pairs}
