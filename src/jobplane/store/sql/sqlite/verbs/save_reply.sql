-- save_reply: keep the reply to a request of the tenant that is set; the first one stays. tidy removes it after a day
-- in:  operation and key of the request, HTTP status, body
-- out: false where the request was never begun, or its reply has been removed

-- statement: save
update jobplane_replies set status = coalesce(status, ?), body = case when status is null then ? else body end where tenant_no = ? and operation = ? and key = ? returning 1
