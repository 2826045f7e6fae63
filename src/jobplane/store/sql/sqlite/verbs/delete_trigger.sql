-- delete_trigger: delete a trigger of the tenant that is set, with its fires. Its jobs stay, and keep its id
-- in:  version: refuse where the trigger has another one
-- out: the id

-- statement: delete
delete from jobplane_triggers where trigger_id = ?

-- statement: fires
delete from jobplane_fires where trigger_id = ?
