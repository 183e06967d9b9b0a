import { escapeLiteral } from 'pg'
import { CSV_COLUMNS, type DescribedField, type FieldName, type FieldType, fieldOf } from '../job-fields.ts'
import { JOB_ERRORS } from '../job-states.ts'

/** Invisible characters that may stand before a formula. */
const UNSEEN = /[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Mn}\p{Me}]+/gu
/** Blank characters without such a property. */
const BLANK = '\u2800\u{13441}\u{13442}\u{1d159}'
/** `= + - @` and their Unicode variants; a hyphen elsewhere would form a range. */
const SIGNS = '=+@\u207a\u207c\u208a\u208c\u2a75\u2a76\ufb29\ufe62\ufe63\ufe66\ufe6b\uff0b\uff0d\uff1d\uff20\\-'
const RANGES = [
  [0x1, 0xd7ff],
  [0xe000, 0x1ffff],
  [0xe0000, 0xe0fff],
] as const
const CHUNK_CHARACTERS = 8_192
const UNESCAPED: ReadonlySet<FieldType> = new Set(['JobType', 'JobStatus', 'JobErrorCode'])

let known: string | undefined

/** Changes SQL of a text that callers wrote. */
type Escape = (sql: string) => string

/** SQL over `job j`, `api_key k` and `artifact a`. */
export interface Column {
  readonly name: string
  csv(escaped: Escape): string
  /** A text, the value in JSON; SQL's null for null. */
  json(): string
}

/** For a session in UTC: to look up the zone takes longer than the rest of the cell. */
export const time = (sql: string): string => `to_char(${sql}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
export const exactTime = (sql: string): string => `to_char(${sql} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
const sessionTime = (sql: string): string => `to_char(${sql}, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

const MESSAGES = Object.entries(JOB_ERRORS)
  .map(([code, message]) => `when ${escapeLiteral(code)} then ${escapeLiteral(message)}`)
  .join(' ')

const ERROR = `case when j.error_code is not null then case j.error_code ${MESSAGES} else ${escapeLiteral(JOB_ERRORS.INTERNAL_ERROR)} end end`

/** Puts an apostrophe before a text that a spreadsheet would run. */
export const escapeFormula: Escape = (sql) =>
  `case when ascii(${sql}) between 48 and 57 or ascii(${sql}) between 65 and 126 then ${sql}
        when ${sql} ~ ${formula()} then '''' || ${sql} else ${sql} end`

export const asItIs: Escape = (sql) => sql

const formula = (): string => {
  known ??= escapeLiteral(`^[${unseenRanges()}${BLANK}]*[${SIGNS}\t\r\n]`)
  return known
}

const unseenRanges = (): string =>
  RANGES.flatMap(([first, last]) => [...characters(first, last).matchAll(UNSEEN)])
    .map(([run]) => [...run])
    .map((run) => (run.length < 3 ? run.join('') : `${run[0]}-${run.at(-1)}`))
    .join('')

function characters(first: number, last: number): string {
  const parts: string[] = []
  for (let start = first; start <= last; start += CHUNK_CHARACTERS) {
    const length = Math.min(CHUNK_CHARACTERS, last - start + 1)
    parts.push(String.fromCodePoint(...Array.from({ length }, (_nothing, at) => start + at)))
  }
  return parts.join('')
}

const millisecondsFrom = (from: string, to: string): string =>
  `case when ${to} is not null then greatest(0, extract(epoch from ${to} - ${from}) * 1000)::bigint end`

/** Without the exact numbers of `extract`, which take longer than the rest of the cell. */
const quickMillisecondsFrom = (from: string, to: string): string =>
  `case when ${to} is not null then greatest(0, date_part('epoch', ${to} - ${from}) * 1000)::bigint end`

const number = (name: string, sql: string): Column => ({ name, csv: () => sql, json: () => `(${sql})::text` })

/** Texts without quotation marks, backslashes and control characters. */
const ourText = (name: string, sql: string): Column => ({ name, csv: () => sql, json: () => `'"' || ${sql} || '"'` })

const callersText = (name: string, sql: string): Column => ({
  name,
  csv: (escaped) => escaped(sql),
  json: () => `to_json(${sql})::text`,
})

/** Cells that are no fields. */
const COMPUTED: Readonly<Record<string, Column>> = {
  duration_ms: number('duration_ms', millisecondsFrom('j.created_at', 'j.completed_at')),
  workflow_slug: callersText(
    'workflow_slug',
    `case when j.type = 'generate' then substr(j.endpoint_key, ${'generate.'.length + 1}) end`,
  ),
  error: { ...callersText('error', ERROR), csv: () => ERROR },
}

/** A cell is escaped if the text of its field comes from callers. */
function columnOf({ wire: name, sql, type, isOurs }: DescribedField): Column {
  if (type === 'DateTime') return ourText(name, time(sql))
  if (type === 'Int') return number(name, sql)
  if (type === 'Boolean') {
    const cell = `case ${sql} when true then 'true' when false then 'false' end`
    return { name, csv: () => cell, json: () => cell }
  }
  if (type === 'Strings')
    return {
      name,
      csv: (escaped) => escaped(`array_to_json(${sql})::text`),
      json: () => `array_to_json(${sql})::text`,
    }
  return isOurs || UNESCAPED.has(type) ? ourText(name, sql) : callersText(name, sql)
}

const described = (name: FieldName): Column => columnOf(fieldOf(name))

/** Columns of the published CSV. */
export const EXPORTED: readonly Column[] = CSV_COLUMNS.map((name) => COMPUTED[name] ?? described(name as FieldName))

/** Columns of the feed of changes: a new one goes to the end. */
export const CHANGE_COLUMNS: readonly Column[] = [
  ...EXPORTED,
  described('startedAt'),
  number('wait_ms', quickMillisecondsFrom('j.created_at', 'j.started_at')),
  number(
    'run_ms',
    `case when j.started_at is not null then ${quickMillisecondsFrom('j.started_at', 'j.completed_at')} end`,
  ),
  number('cost', 'j.cost'),
  number('attempts', 'j.attempt'),
  number('characters', `case when j.type = 'voice' then char_length(j.inputs ->> 'text') end`),
  number('audio_ms', 'a.duration_ms'),
  ...(['voice', 'language', 'tags'] as const).map(described),
  ourText('changed_at', sessionTime('j.changed')),
  ourText('deleted_at', sessionTime('j.deleted_at')),
]
