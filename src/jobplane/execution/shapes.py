"""How Pydantic's types look as JSON Schema, where its own words are not ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pydantic import SecretStr
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue, JsonSchemaWarningKind
from pydantic_core import PydanticSerializationError

from jobplane.core.errors import InvalidPayload
from jobplane.core.payload import encode

if TYPE_CHECKING:
    from pydantic_core import core_schema

# Pydantic's own pattern looks ahead, which no regular expression in linear time can.
_DECIMAL: Final = r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$"


_STARS: Final = str(SecretStr("any"))


class Shapes(GenerateJsonSchema):
    """Formats only where every value that Pydantic writes has that format."""

    def encode_default(self, dft: object) -> Any:
        """Not a number, a NUL, a secret and the like are Python's alone."""
        found = super().encode_default(dft)
        try:
            text = encode({"default": found})
        except InvalidPayload as error:
            raise PydanticSerializationError(error.message) from error
        if _STARS in text:
            raise PydanticSerializationError("The default has a secret.")
        return found

    def emit_warning(self, kind: JsonSchemaWarningKind, detail: str) -> None:
        """A default that is no JSON is left out of the schema, and stays the handler's."""

    def decimal_schema(self, schema: core_schema.DecimalSchema) -> JsonSchemaValue:
        return {"anyOf": [{"type": "number"}, {"type": "string", "pattern": _DECIMAL}]}

    def time_schema(self, schema: core_schema.TimeSchema) -> JsonSchemaValue:
        """The format asks for a zone; a time of day may have none."""
        return {"type": "string"}

    def timedelta_schema(self, schema: core_schema.TimedeltaSchema) -> JsonSchemaValue:
        """The format knows neither parts of seconds nor less than nothing."""
        return {"type": "string"}
