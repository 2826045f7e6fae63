-- tenant_id_of: the uuid behind a slug, for clients that know their tenant by name; null where there is none

-- statement: find
select tenant_id from jobplane_tenants where slug = ?
