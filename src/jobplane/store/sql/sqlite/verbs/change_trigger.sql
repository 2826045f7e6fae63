-- change_trigger: change a trigger of the tenant that is set; null takes a value away. Its version grows, so a fire that has read the one before changes nothing
-- in:  changes: as the document of create_trigger; version: refuse where the trigger has another one
-- out: the trigger

-- statement: row
select * from jobplane_triggers where trigger_id = ? and tenant_no = ?
