-- delete_definition: a person deletes a definition, by key or id: it takes no more jobs, starts none, and is in no list. Its jobs stay
-- in:  revision: refuse where the definition has another one
-- out: the key. A definition that something needs is refused. Creating or syncing the same key brings it back

-- statement: triggers
select 1 from jobplane_triggers where definition_id = ? limit 1
