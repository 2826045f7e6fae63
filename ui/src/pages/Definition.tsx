export function DefinitionPage() { return null; }
