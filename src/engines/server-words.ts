const MAX_MESSAGE_CHARACTERS = 300
/** Words shorter than this say nothing about a text. */
const TELLING_CHARACTERS = 3

/** The four shapes: `{error: {message}}`, `{detail: "…"}`, `{detail: {message}}`, `{detail: [{loc, msg}]}`; anything else is not repeated. */
export function messageOf(body: string): string {
  const { error, detail, message } = parseObject(body)
  const told = textOf(error) ?? textOf(detail) ?? (Array.isArray(detail) ? validationText(detail) : textOf(message))
  return told ?? 'no reason that could be read'
}

function parseObject(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body)
    return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

function textOf(part: unknown): string | undefined {
  if (typeof part === 'string') return part
  if (part === null || typeof part !== 'object' || Array.isArray(part)) return undefined
  const { message, error, type } = part as Record<string, unknown>
  return [message, error, type].find((value) => typeof value === 'string')
}

/** Only where and what: such an entry also quotes the input. */
function validationText(entries: readonly unknown[]): string {
  const told = entries.map((entry) => {
    const { loc, msg } = (entry ?? {}) as { loc?: unknown; msg?: unknown }
    return `${Array.isArray(loc) ? loc.join('.') : 'body'} ${typeof msg === 'string' ? msg : 'is wrong'}`
  })
  return told.join('; ')
}

/** Causes are logged and stored, texts never are: every word that was sent is left out of what came back. */
export function withoutWordsOf(message: string, texts: readonly string[]): string {
  const sent = texts.join('\n').toLowerCase()
  const kept = message.replace(/[\p{L}\p{N}\p{M}]+/gu, (word) => {
    const isTelling = word.length >= TELLING_CHARACTERS || /[^\p{Script=Latin}\p{N}]/u.test(word)
    return isTelling && sent.includes(word.toLowerCase()) ? '…' : word
  })
  return kept.slice(0, MAX_MESSAGE_CHARACTERS)
}

/** Every string in what was sent, wherever it is. */
export function textsOf(sent: unknown): string[] {
  if (typeof sent === 'string') return [sent]
  if (sent === null || typeof sent !== 'object') return []
  return Object.values(sent).flatMap(textsOf)
}
