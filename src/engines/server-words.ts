const MAX_MESSAGE_CHARACTERS = 300
const MAX_READ_CHARACTERS = 600
const TELLING_CHARACTERS = 3
const WORD = /[\p{L}\p{N}\p{M}]+/gu
const QUOTED = /(?:[\p{L}\p{N}\p{M}]|\\u[\da-f]{4}|\\[abfnrtv]|%[\da-f]{2})+/giu

export function messageOf(body: string): string {
  const { error, detail, message } = parseObject(body)
  const reason = textOf(error) ?? textOf(detail) ?? (Array.isArray(detail) ? validationText(detail) : textOf(message))
  return reason ?? 'no reason that could be read'
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

/** Such entries also quote the input. */
function validationText(entries: readonly unknown[]): string {
  const reasons = entries.map((entry) => {
    const { loc, msg } = (entry ?? {}) as { loc?: unknown; msg?: unknown }
    return `${Array.isArray(loc) ? loc.join('.') : 'body'} ${typeof msg === 'string' ? msg : 'is wrong'}`
  })
  return reasons.join('; ')
}

/** Removes every sent word, because errors are logged and texts never are. */
export function withoutWordsOf(message: string, texts: readonly string[]): string {
  const sent = texts.join('\n').toLowerCase()
  const wasSent = (word: string) => isTelling(word) && sent.includes(word.toLowerCase())
  const beginning = message.slice(0, MAX_READ_CHARACTERS)
  const kept = beginning.replace(QUOTED, (words) => (wordsOf(words).some(wasSent) ? '…' : words))
  return kept.slice(0, MAX_MESSAGE_CHARACTERS)
}

const isTelling = (word: string): boolean => word.length >= TELLING_CHARACTERS || /[^\p{Script=Latin}\p{N}]/u.test(word)

const wordsOf = (words: string): string[] => [words, unquoted(words)].flatMap((text) => text.match(WORD) ?? [])

const unquoted = (words: string): string =>
  words
    .replace(/\\u([\da-f]{4})/gi, (_quoted, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
    .replace(/\\[abfnrtv]/gi, ' ')
    .replace(/(?:%[\da-f]{2})+/gi, (quoted) => Buffer.from(quoted.replaceAll('%', ''), 'hex').toString())

export function textsOf(sent: unknown): string[] {
  if (typeof sent === 'string') return [sent]
  if (sent === null || typeof sent !== 'object') return []
  return Object.values(sent).flatMap(textsOf)
}
