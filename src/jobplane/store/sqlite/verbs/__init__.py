"""Each verb as a function over a connection: our own, or one that an application lends inside its transaction."""
