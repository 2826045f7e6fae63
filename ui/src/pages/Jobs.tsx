export function Jobs() { return null; }
