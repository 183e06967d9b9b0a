/** A word, and what is said instead; without a language in all of them. */
export interface Entry {
  readonly language: string | null
  readonly grapheme: string
  readonly alias: string
}

/** A sentence for each wrong field of an entry. */
export type EntryErrors = Partial<Record<keyof Entry, string>>

const MAX_GRAPHEME = 100
const MAX_ALIAS = 200
/** More go to `PUT /api/v1/lexicon`. */
export const MAX_SAVED = 1200
const SPOKEN = /[\p{L}\p{N}\p{S}]/u
const collator = new Intl.Collator('en', { sensitivity: 'base', numeric: true })

/** No two entries of a lexicon have the same. */
export const keyOf = ({ language, grapheme }: Entry): string =>
  JSON.stringify([language, grapheme.normalize('NFC').trim().replace(/\s+/g, ' ')])

/** By their words, those of a search alone. */
export function shown(entries: readonly Entry[], search: string, language: string): readonly Entry[] {
  const wanted = plain(search.trim())
  return entries
    .filter((entry) => language === '' || entry.language === language)
    .filter(({ grapheme, alias }) => plain(`${grapheme}\n${alias}`).includes(wanted))
    .toSorted((one, other) => collator.compare(one.grapheme, other.grapheme))
}

const plain = (text: string): string => text.normalize('NFC').toLowerCase()

/** With an entry, in the place of the one that it replaces, or of the one with its key. */
export function withEntry(entries: readonly Entry[], entry: Entry, replaced: Entry | null): readonly Entry[] {
  const gone = new Set([keyOf(entry), ...(replaced === null ? [] : [keyOf(replaced)])])
  const at = entries.findIndex((one) => keyOf(one) === keyOf(replaced ?? entry))
  const rest = entries.filter((one) => !gone.has(keyOf(one)))
  return at < 0 ? [...rest, entry] : rest.toSpliced(at, 0, entry)
}

export const without = (entries: readonly Entry[], entry: Entry): readonly Entry[] =>
  entries.filter((one) => keyOf(one) !== keyOf(entry))

/** Finds the errors that a form can see before the service does. */
export function errorsOf(entry: Entry, others: readonly Entry[]): EntryErrors {
  const { grapheme, alias } = entry
  return {
    ...(grapheme.length > MAX_GRAPHEME && { grapheme: `At most ${MAX_GRAPHEME} characters.` }),
    ...(others.some((one) => keyOf(one) === keyOf(entry)) && {
      grapheme: 'This word is in the lexicon already: change it there.',
    }),
    ...(alias.length > MAX_ALIAS && { alias: `At most ${MAX_ALIAS} characters.` }),
    ...(alias !== '' && !SPOKEN.test(alias) && { alias: 'This contains nothing that can be spoken.' }),
  }
}

/** As the service takes it. */
export const inputOf = (entries: readonly Entry[]) =>
  entries.map(({ language, grapheme, alias }) => ({ ...(language !== null && { language }), grapheme, alias }))

/** As `PUT /api/v1/lexicon` takes it. */
export const toFile = (entries: readonly Entry[]): string =>
  `${JSON.stringify({ entries: inputOf(entries) }, null, 2)}\n`

/** The entries of a file of that form, or of its list alone. @throws Error with a sentence that says what is wrong where */
export function readFile(text: string): readonly Entry[] {
  const entries = listOf(parsed(text))
  if (entries.length === 0) throw new Error('There are no words in this file.')
  const read = entries.map(readEntry)
  const keys = read.map(keyOf)
  const again = keys.findIndex((key, at) => keys.indexOf(key) !== at)
  if (again >= 0)
    throw new Error(`"${read[again]?.grapheme}" is twice in this file, the second time as word ${again + 1}.`)
  return read
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('This is not a file of words: choose a JSON file, such as Export makes.')
  }
}

function listOf(content: unknown): readonly unknown[] {
  const list = Array.isArray(content) ? content : (content as { entries?: unknown } | null)?.entries
  if (!Array.isArray(list)) throw new Error('This file has no list of words: choose one such as Export makes.')
  return list
}

function readEntry(entry: unknown, at: number): Entry {
  const { language = null, grapheme, alias } = (entry ?? {}) as Record<string, unknown>
  const isText = typeof grapheme === 'string' && typeof alias === 'string'
  if (!isText || (language !== null && typeof language !== 'string'))
    throw new Error(
      `Word ${at + 1} of this file needs a "grapheme" and an "alias", and may have a "language", all of them texts.`,
    )
  return { language, grapheme, alias }
}

/** The entries after an import: those of the file win. */
export function imported(before: readonly Entry[], file: readonly Entry[], replacesAll: boolean): readonly Entry[] {
  if (replacesAll) return file
  const keys = new Set(file.map(keyOf))
  return [...before.filter((entry) => !keys.has(keyOf(entry))), ...file]
}
