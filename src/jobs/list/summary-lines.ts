import { parseDatabaseTimestamp } from '../../db/parse-timestamp.ts'
import type { JobSummary } from '../job-shape.ts'
import type { JobStatus, JobType } from '../job-states.ts'

const FIELD = '\t'
const LINE = '\n'

const orEmpty = (expression: string): string => `coalesce(${expression}::text, '')`

/** The separators cannot occur: users' texts are JSON. */
const SUMMARY_LINE = [
  'j.id',
  'j.type',
  'j.endpoint_key',
  'j.status',
  orEmpty('j.is_prohibited'),
  orEmpty('j.api_key_id'),
  orEmpty('to_json(k.name)'),
  'j.created_at::text',
  orEmpty('j.completed_at'),
].join(` || '${FIELD}' || `)

/**
 * SQL of a page as one text, newest first.
 * @param page rows of `job`, parenthesised
 */
export const summaryLines = (page: string): string => `(select string_agg(line, '${LINE}') from (
    select ${SUMMARY_LINE} as line from ${page} j left join api_key k on k.id = j.api_key_id order by j.id desc
  ) l)`

export const readSummaries = (lines: string | null): JobSummary[] =>
  lines === null || lines === '' ? [] : lines.split(LINE).map(readSummary)

function readSummary(line: string): JobSummary {
  const [id, type, endpointKey, status, prohibited, apiKeyId, name, createdAt, completedAt] = line.split(
    FIELD,
  ) as Fields
  return {
    id,
    type,
    endpointKey,
    status,
    isProhibited: prohibited === '' ? null : prohibited === 'true',
    apiKeyId: apiKeyId || null,
    apiKeyName: name === '' ? null : (JSON.parse(name) as string),
    createdAt: parseDatabaseTimestamp(createdAt),
    completedAt: completedAt === '' ? null : parseDatabaseTimestamp(completedAt),
  }
}

type Fields = [string, JobType, string, JobStatus, string, string, string, string, string]
