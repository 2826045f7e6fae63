"""The performance tables: jobplane's verbs beside bare statements and beside other queues, as ratios of one run."""
