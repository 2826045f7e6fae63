"""The store on one SQLite file: the same verbs and answers as on PostgreSQL, for one machine and one trust domain."""
