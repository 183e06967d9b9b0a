const MAX_TAGS = 20
const MAX_TAG_CHARACTERS = 60
const MAX_RAW_CHARACTERS = 200
const MAX_TAG_WORDS = 4

/** Tags in any list form of a model's reply: at most 20 of at most 60 characters, lower case. */
export function parseTags(reply: string): string[] {
  const listed = fromJson(reply) ?? fromText(reply)
  const short = listed.filter(({ length }) => length <= MAX_RAW_CHARACTERS)
  const tags = short.map(clean).filter((tag) => tag !== '' && [...tag].length <= MAX_TAG_CHARACTERS)
  return [...new Set(tags)].slice(0, MAX_TAGS)
}

function fromJson(reply: string): string[] | null {
  const candidates = [reply, between(reply, '[', ']'), between(reply, '{', '}')]
  for (const candidate of candidates) {
    const strings = stringsOf(parse(candidate))
    if (strings !== null) return strings
  }
  return null
}

const between = (text: string, open: string, close: string): string =>
  text.slice(Math.max(0, text.indexOf(open)), text.lastIndexOf(close) + 1)

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function stringsOf(value: unknown): string[] | null {
  if (Array.isArray(value)) return value.filter((part) => typeof part === 'string')
  if (value === null || typeof value !== 'object') return null
  return stringsOf(Object.values(value).find(Array.isArray) ?? null)
}

const fromText = (reply: string): string[] =>
  reply
    .replaceAll('```', '\n')
    .split(/[,;\n]/)
    .map((part) => part.replace(/^\s*(?:[-*•]|\d+[.)])\s*/, ''))
    .filter((part) => part.trim().split(/\s+/).length <= MAX_TAG_WORDS)

const clean = (tag: string): string =>
  tag
    .replace(/\p{Cc}+/gu, ' ')
    .replace(/^[\s"'`#.]+|[\s"'`.]+$/gu, '')
    .toLowerCase()
    .toWellFormed()
