"""Every verb as a value: a frozen dataclass that names its arguments, with the type of its answer."""
