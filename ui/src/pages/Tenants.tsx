export function Tenants() { return null; }
