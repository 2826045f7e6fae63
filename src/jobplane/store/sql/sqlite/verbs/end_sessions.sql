-- end_sessions: sign a principal out, of one session or of all; with all of them its links end too
-- in:  principal: key or login, and its id; the SHA-256 of a session's token, null: all
-- out: how many sessions ended

-- statement: end
delete from jobplane_sessions where principal_type = ? and principal_id = ? and (? is null or digest = ?) returning 1

-- statement: links
delete from jobplane_session_links where principal_type = ? and principal_id = ?

-- statement: tenant
select tenant_no from jobplane_api_keys where ? = 'key' and key_id = ?
