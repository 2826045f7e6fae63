/** A sentence of the server: what stands between backticks is code. */
export const CodeInText = ({ text }: { text: string }) => <>{text.split('`').map((part, at) => (at % 2 ? <code key={at}>{part}</code> : part))}</>;
