-- list_artifacts: one step of a walk over the results: which files in artifacts_dir they name
-- in:  the seq to go on after; how many results to look at, 10,000 at most
-- out: the digests that were found, the seq to go on after: null when the walk is over

-- statement: stretch
select seq, case when length(result) < 1000 then result end from jobplane_results where seq > ? order by seq limit ?
