"""A multi-tenant jobs control plane on PostgreSQL."""

__all__ = ["__version__"]

__version__ = "0.1.0"
