/** Put a text on the clipboard. Without TLS a browser has none for pages: then the old way. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    const focused = document.activeElement;
    area.value = text;
    area.className = 'sr';
    document.body.append(area);
    area.select();
    const isDone = document.execCommand('copy');
    area.remove();
    if (focused instanceof HTMLElement) focused.focus();
    return isDone;
  }
}
