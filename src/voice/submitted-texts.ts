import type { Database, Tx } from '../db/database.ts'
import { readMarkdown } from './markup/markdown.ts'
import { spokenText } from './markup/script.ts'

const EXCERPT_CHARACTERS = 120
/** Markup before the excerpt may be long. */
const READ_CHARACTERS = 2000
/** A reference such as `&quot;` has up to 10 characters, and Markdown may begin with front matter. */
const SENT_CHARACTERS = READ_CHARACTERS
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

const PAUSES = String.raw`\[pause:[^\]]*(\]|$)`
const BREAKS = String.raw`</?(break|p|s)\y[^>]*(>|$)`
const TAGS = '</?[A-Za-z!?][^>]*(>|$)'
const shown = (text: string) => `case j.options ->> 'markup'
    when 'pauses' then regexp_replace(left(${text}, ${READ_CHARACTERS}), '${PAUSES}', ' ', 'gi')
    when 'ssml' then regexp_replace(regexp_replace(left(${text}, ${READ_CHARACTERS}), '${BREAKS}', ' ', 'gi'), '${TAGS}', '', 'g')
    when 'markdown' then left(${text}, ${READ_CHARACTERS})
    else left(${text}, ${EXCERPT_CHARACTERS + 1}) end`

/** `offset 0` keeps PostgreSQL from reading a text several times. */
const FIND = `
  select j.id, coalesce(char_length(t.text), (j.inputs ->> 'characters')::int) as characters, left(${shown('t.text')}, ${SENT_CHARACTERS}) as beginning, j.options ->> 'markup' as markup
  from job j cross join lateral (select j.inputs ->> 'text' as text offset 0) t
  where j.id = any($1) and j.type = 'voice'`

const FIND_VOICES = `
  select j.id, j.inputs ->> e.voice_input as voice
  from job j join voice_endpoint e on j.endpoint_key = 'voice.' || e.slug
  where j.id = any($1) and j.type = 'voice' and j.inputs ->> e.voice_input is not null`

export interface SubmittedText {
  /** Unicode code points, markup included. */
  readonly characters: number | null
  /** Null: the text was not kept. */
  readonly excerpt: string | null
}

interface Row {
  readonly id: string
  readonly characters: number | null
  readonly beginning: string | null
  readonly markup: string | null
}

/** Lengths and beginnings of submitted texts of voice jobs by job. The caller checks access. */
export async function loadSubmittedTexts(
  db: Pick<Tx, 'query'>,
  jobIds: readonly string[],
): Promise<Map<string, SubmittedText>> {
  const { rows } = await db.query<Row>({ name: 'submitted_texts', text: FIND, values: [jobIds] })
  return new Map(rows.map((row) => [row.id, { characters: row.characters, excerpt: excerptOf(row) }]))
}

function excerptOf({ beginning, markup }: Row): string | null {
  if (beginning === null) return null
  const text = markup === null ? beginning : unescaped(beginning, markup).replace(/\s+/g, ' ').trim()
  const characters = [...text]
  if (characters.length <= EXCERPT_CHARACTERS) return text
  const cut = characters.slice(0, EXCERPT_CHARACTERS).join('')
  const isBetweenWords = /\s/.test(characters[EXCERPT_CHARACTERS] ?? '')
  const words = isBetweenWords ? cut : cut.replace(/\s\S*$/, '')
  return words.trimEnd() === '' ? cut : words.trimEnd()
}

function unescaped(text: string, markup: string): string {
  if (markup === 'markdown') return spokenText(readMarkdown(text))
  if (markup !== 'ssml') return text
  return text.replace(/&(amp|lt|gt|quot|apos);/gi, (_, name: string) => ENTITIES[name.toLowerCase()]!)
}

/** Voices of jobs from before their column, by job. The caller checks access. */
export async function loadOlderVoices(db: Pick<Tx, 'query'>, jobIds: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await db.query<{ id: string; voice: string }>({
    name: 'older_voices',
    text: FIND_VOICES,
    values: [jobIds],
  })
  return new Map(rows.map(({ id, voice }) => [id, voice]))
}

/** Names of library voices by id. The caller checks access to their jobs. */
export async function loadLibraryNames(
  { prisma }: Pick<Database, 'prisma'>,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await prisma.accountVoice.findMany({ where: { id: { in: [...ids] } }, select: { id: true, name: true } })
  return new Map(rows.map(({ id, name }) => [id, name]))
}
