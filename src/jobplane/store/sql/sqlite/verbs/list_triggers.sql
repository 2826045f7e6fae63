-- list_triggers: triggers of the tenant that is set, the newest first
-- in:  ids, keys, definition_key, is_enabled, late_seconds: what to list, null: any; late_seconds: those that have been due for longer;
--      limit 1 to 1000; the id before which to begin

-- statement: page
select t.trigger_id from jobplane_triggers t
 where t.tenant_no = ? and t.trigger_id < ? and (? is null or t.trigger_id in (select value from json_each(?))) and (? is null or t.key in (select value from json_each(?)))
   and (? is null or t.definition_id = (select d.definition_id from jobplane_definitions d where d.key = ?)) and (? is null or t.is_enabled = ?)
   and (? is null or t.is_enabled and t.due_at < ?)
 order by t.trigger_id desc limit ?
