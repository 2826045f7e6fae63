"""What `jobplane up --demo` runs."""
