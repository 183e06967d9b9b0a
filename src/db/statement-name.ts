import { hash } from 'node:crypto'

const MAX_KNOWN = 500
const known = new Map<string, string>()

export function statementName(name: string, text: string): string {
  const digest = known.get(text) ?? hash('sha1', text, 'base64url')
  if (known.size < MAX_KNOWN) known.set(text, digest)
  return `${name} ${digest}`
}
