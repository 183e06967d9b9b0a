import { hash } from 'node:crypto'

/** Beyond what the statements worth preparing come to: a text that differs with its caller's input has no name. */
const MAX_KNOWN = 500
const known = new Map<string, string>()

/** The name under which a connection keeps a statement that is prepared: one for each text. */
export function statementName(text: string): string {
  const name = known.get(text) ?? hash('sha1', text, 'base64url')
  if (known.size < MAX_KNOWN) known.set(text, name)
  return name
}
