import { escapeLiteral } from 'pg'
import { CSV_COLUMNS, type DescribedField, type FieldName, type FieldType, fieldOf } from '../job-fields.ts'
import { JOB_ERRORS } from '../job-states.ts'
import type { JsonField } from './export-csv.ts'

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
export interface Column extends JsonField {
  csv(escaped: Escape): string
  /** The value in JSON, a text without its quotes if `isText`; SQL's null for null. */
  json(): string
}

/** For a session in UTC. JSON leaves zeros at the end of a second out; `to_char` would keep them, and take twice as long. */
const isoTime = (sql: string, characters: number): string => `substr(to_json(${sql})::text, 2, ${characters})`
const plus = (sql: string): string => `${sql} + interval '1 microsecond'`

/** Times are whole milliseconds: one microsecond more gives them all their digits. */
export const time = (sql: string): string => `${isoTime(plus(sql), '2000-01-01T00:00:00.000'.length)} || 'Z'`
export const exactTime = (sql: string): string => `to_char(${sql} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
const microseconds = (sql: string): string =>
  `case when date_part('microseconds', ${sql})::int % 10 = 0 then ${isoTime(plus(sql), '2000-01-01T00:00:00.00000'.length)} || '0Z'
        else ${isoTime(sql, '2000-01-01T00:00:00.000000'.length)} || 'Z' end`

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

/** Without the exact numbers of `extract`, which take longer than the rest of the cell. */
const millisecondsFrom = (from: string, to: string): string =>
  `case when ${to} is not null then greatest(0, date_part('epoch', ${to} - ${from}) * 1000)::bigint end`

const value = (name: string, sql: string): Column => ({ name, csv: () => sql, json: () => sql })

/** Texts without quotation marks, backslashes and control characters. */
const ourText = (name: string, sql: string): Column => ({ ...value(name, sql), isText: true })

const callersText = (name: string, sql: string): Column => ({
  name,
  csv: (escaped) => escaped(sql),
  json: () => `to_json(${sql})`,
})

/** Cells that are no fields. */
const COMPUTED: Readonly<Record<string, Column>> = {
  duration_ms: value('duration_ms', millisecondsFrom('j.created_at', 'j.completed_at')),
  workflow_slug: callersText(
    'workflow_slug',
    `case when j.type = 'generate' then substr(j.endpoint_key, ${'generate.'.length + 1}) end`,
  ),
  error: { ...callersText('error', ERROR), csv: () => ERROR },
}

/** A cell is escaped if the text of its field comes from callers. */
function columnOf({ wire: name, sql, type, isOurs }: DescribedField): Column {
  if (type === 'DateTime') return ourText(name, time(sql))
  if (type === 'Int') return value(name, sql)
  if (type === 'Boolean') return value(name, `case ${sql} when true then 'true' when false then 'false' end`)
  if (type === 'Strings')
    return {
      name,
      csv: (escaped) => escaped(`array_to_json(${sql})::text`),
      json: () => `array_to_json(${sql})`,
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
  value('wait_ms', millisecondsFrom('j.created_at', 'j.started_at')),
  value('run_ms', `case when j.started_at is not null then ${millisecondsFrom('j.started_at', 'j.completed_at')} end`),
  value('cost', 'j.cost'),
  value('attempts', 'j.attempt'),
  value('characters', `case when j.type = 'voice' then job_characters(j.type, j.inputs) end`),
  value('audio_ms', 'a.duration_ms'),
  ...(['voice', 'language', 'tags'] as const).map(described),
  ourText('changed_at', microseconds('j.changed')),
  ourText('deleted_at', microseconds('j.deleted_at')),
]
