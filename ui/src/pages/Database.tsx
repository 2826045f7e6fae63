export function Database() { return null; }
