export function Definitions() { return null; }
