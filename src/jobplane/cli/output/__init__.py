"""What commands print: tables, JSON, YAML and names, without anything that could harm a terminal."""
