-- list_all_triggers: triggers of all tenants, the newest first
-- in:  as list_triggers

-- statement: page
select t.trigger_id from jobplane_triggers t
 where t.trigger_id < ? and (? is null or t.trigger_id in (select value from json_each(?))) and (? is null or t.key in (select value from json_each(?)))
   and (? is null or t.definition_id = (select d.definition_id from jobplane_definitions d where d.key = ?)) and (? is null or t.is_enabled = ?)
   and (? is null or t.is_enabled and t.due_at < ?)
 order by t.trigger_id desc limit ?
