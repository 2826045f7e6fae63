"""A function's signature as the schema of its payload, and the way there and back."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from types import FunctionType
from typing import Any, Final, cast, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, PydanticUserError, ValidationError, create_model
from pydantic.errors import PydanticInvalidForJsonSchema, PydanticSchemaGenerationError
from pydantic_core import PydanticSerializationError, SchemaError

from jobplane.core.errors import Invalid, InvalidPayload
from jobplane.core.model import Document, Json
from jobplane.core.references import has_secrets
from jobplane.core.schema import Judge, judge_of, misfit, pointer_of
from jobplane.execution.context import Context
from jobplane.execution.json_keys import SameKey, has_plain_keys, refuse_same_keys
from jobplane.execution.revealing import reveal
from jobplane.execution.shapes import Shapes

_NO_JSON: Final = (PydanticSchemaGenerationError, PydanticUserError, SchemaError, TypeError)
_CLASS: Final = re.compile(r"<class '([^']+)'>")
_REFUSED: Final = {
    inspect.Parameter.VAR_POSITIONAL: "Job {} cannot take *{}: a payload has named arguments. Take a list instead.",
    inspect.Parameter.VAR_KEYWORD: "Job {} cannot take **{}: a payload is checked by its names. Take a dict instead.",
    inspect.Parameter.POSITIONAL_ONLY: "Job {} cannot take {}, /: a payload has named arguments. Remove the slash.",
}


class Signature:
    """The parameters of a handler without its context: as a model, a schema and a validator."""

    def __init__(self, function: Callable[..., object], key: str, names: Mapping[str, object]) -> None:
        """Raises NameError if an annotation names a type that is not defined yet."""
        self._key = key
        hints = _hints(function, names)
        parameters = list(inspect.signature(function).parameters.values())
        self.takes_context = bool(parameters) and _is_context(parameters[0], hints)
        taken = parameters[1:] if self.takes_context else parameters
        self._positions = [p.name for p in taken if p.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
        self._fields = {f"p{number}": p.name for number, p in enumerate(taken)}
        fields = {f"p{number}": self._field(p, hints) for number, p in enumerate(taken)}
        self._model = self._build(fields)
        self._validate = cast("Callable[[object], BaseModel]", self._model.__pydantic_validator__.validate_python)
        self.schema: Document = self._describe(fields)
        self.judge: Judge = judge_of(key, self.schema)
        self._has_secrets = has_secrets(self.schema)

    @property
    def names(self) -> Sequence[str]:
        """The names of the parameters beside the context."""
        return [*self._fields.values()]

    def payload(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> Document:
        """The arguments as a payload; raises InvalidPayload. The handler's defaults are not in it."""
        payload = self._dump({**self._bind(args, kwargs), **kwargs} if args else kwargs)
        self.judge.check(payload)
        return payload

    def _bind(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> Mapping[str, object]:
        if len(args) > len(self._positions):
            most = len(self._positions)
            arguments = "1 positional argument" if most == 1 else f"{most} positional arguments"
            message = f"Job {self._key} takes {arguments}, not {len(args)}."
            raise InvalidPayload(message, pointer="")
        given = dict(zip(self._positions, args, strict=False))
        if twice := given.keys() & kwargs.keys():
            raise InvalidPayload(f"Job {self._key} got two values for {min(twice)}.", pointer=pointer_of([min(twice)]))
        return given

    def arguments(self, payload: Document) -> dict[str, object]:
        """The arguments for the handler; raises InvalidPayload if the payload no longer fits."""
        self.judge.check(payload)
        try:
            model = self._validate(payload)
        except ValidationError as error:
            raise _misfit(error) from None
        values, names = model.__dict__, self._fields
        return {names[field]: values[field] for field in model.__pydantic_fields_set__}

    def _dump(self, values: Mapping[str, object]) -> Document:
        try:
            model = self._model.model_validate(values, strict=True)
            payload = cast("Document", model.model_dump(mode="json", by_alias=True, exclude_unset=True))
            if self._has_secrets:
                payload = cast("Document", reveal(payload, model.model_dump(by_alias=True, exclude_unset=True)))
            if not has_plain_keys(values):
                with suppress(ValueError):  # what is wrong then is found later
                    refuse_same_keys(model.model_dump_json(by_alias=True, exclude_unset=True))
            return payload
        except SameKey as error:
            message = f"The arguments of job {self._key} cannot be JSON: {error.message}. Rename one of them."
            raise InvalidPayload(message, pointer="") from None
        except ValidationError as error:
            raise _misfit(error) from None
        except (PydanticSerializationError, RecursionError, UnicodeDecodeError) as error:
            raise InvalidPayload(f"The arguments of job {self._key} cannot be JSON: {error}", pointer="") from None

    def _field(self, parameter: inspect.Parameter, hints: Mapping[str, object]) -> Any:
        if refused := _REFUSED.get(parameter.kind):
            raise Invalid(refused.format(self._key, parameter.name))
        if parameter.name not in hints:
            raise Invalid(
                f"Job {self._key}: the parameter {parameter.name} needs a type, which the payload is checked against."
            )
        if hints[parameter.name] is Context:
            raise Invalid(f"Job {self._key}: the context must be the first parameter.")
        default = ... if parameter.default is inspect.Parameter.empty else parameter.default
        return hints[parameter.name], Field(default, alias=parameter.name)

    def _build(self, fields: Mapping[str, Any]) -> type[BaseModel]:
        """Build the model. Its fields are p0, p1, …: a parameter may have the name of a method of the model."""
        try:
            return _make_model(fields)
        except _NO_JSON as error:
            raise self._refuse(fields, error) from None

    def _describe(self, fields: Mapping[str, Any]) -> Document:
        try:
            schema: dict[str, Json] = self._model.model_json_schema(schema_generator=Shapes)
        except PydanticInvalidForJsonSchema as error:
            raise self._refuse(fields, error) from None
        return {name: value for name, value in schema.items() if name != "title"}

    def _refuse(self, fields: Mapping[str, Any], fault: Exception) -> Invalid:
        """The error that names the first parameter that cannot be JSON."""
        for field, name in self._fields.items():
            try:
                _make_model({field: fields[field]}).model_json_schema(schema_generator=Shapes)
            except _NO_JSON as error:
                return Invalid(f"Job {self._key}: the parameter {name} cannot be JSON: {_explain(error)}")
        return Invalid(f"Job {self._key}: the parameters cannot be JSON: {_explain(fault)}")


def _make_model(fields: Mapping[str, Any]) -> type[BaseModel]:
    return create_model("Payload", __config__=ConfigDict(extra="forbid", ser_json_inf_nan="constants"), **fields)


def _hints(function: Callable[..., object], names: Mapping[str, object]) -> dict[str, object]:
    """The types of the parameters only: the return type may be imported for type checkers only."""
    bare = FunctionType((lambda: None).__code__, getattr(inspect.unwrap(function), "__globals__", {}))
    bare.__annotations__ = {name: hint for name, hint in function.__annotations__.items() if name != "return"}
    return get_type_hints(bare, localns=dict(names), include_extras=True)


def _is_context(parameter: inspect.Parameter, hints: Mapping[str, object]) -> bool:
    if parameter.kind is inspect.Parameter.KEYWORD_ONLY:
        return False
    return hints.get(parameter.name) is Context or (parameter.name == "ctx" and parameter.name not in hints)


def _explain(error: Exception) -> str:
    """Why a parameter cannot be JSON, without the advice of Pydantic, which is for models."""
    text = str(error).strip().partition("\n")[0]
    found = _CLASS.search(text)
    if found is not None or text.startswith("Cannot generate a JsonSchema"):
        kind = "its type" if found is None else f"the type {found[1].removeprefix('__main__.')}"
        return f"{kind} has no JSON form. Use a type that Pydantic can validate, such as a dataclass or a BaseModel."
    return text


def _misfit(error: ValidationError) -> InvalidPayload:
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    return misfit([(pointer_of(fault["loc"]), fault["type"], fault["msg"]) for fault in faults[:20]])
