import { hash } from 'node:crypto'

/** Beyond what the statements worth preparing come to: a text that differs with its caller's input is not kept in mind. */
const MAX_KNOWN = 500
const known = new Map<string, string>()

/**
 * The name under which a connection keeps a statement that is prepared: one for each text.
 * @param name what measurements call all of these texts: one word
 */
export function statementName(name: string, text: string): string {
  const digest = known.get(text) ?? hash('sha1', text, 'base64url')
  if (known.size < MAX_KNOWN) known.set(text, digest)
  return `${name} ${digest}`
}
