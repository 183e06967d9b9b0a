import type { Parts } from '../../context/context.ts'
import { untilAnswered } from '../../db/until-answered.ts'
import type { JobOptions } from '../../jobs/job-shape.ts'
import type { Claim } from '../../jobs/lifecycle/claim-job.ts'

/** A job whose API process died is ended after this time. */
export const OPEN_FOR = `interval '1 minute'`

const OPEN_UNTIL = `coalesce(open_until, created_at + ${OPEN_FOR})`
const READ = `
  select inputs ->> 'text' as text, options, options ? 'open' and ${OPEN_UNTIL} > now() as is_open,
    greatest(0, extract(epoch from ${OPEN_UNTIL} - now()) * 1000)::float8 as open_ms
  from job where id = $1 and attempt = $2 and status = 'processing'`
const SEAL = `
  update job set options = options - 'open' || '{"sealed": true}', open_until = null
  where id = $1 and attempt = $2 and status = 'processing' and options -> 'pieces' = $3::jsonb
    and (not options ? 'open' or ${OPEN_UNTIL} <= now())`

/** A text as far as it is written. */
export interface TextState {
  readonly text: string
  /** Ends of its pieces in UTF-16 units. */
  readonly pieces: readonly number[]
}

interface OpenTextState extends TextState {
  /** Milliseconds that the text stays open unless more of it comes; null: it is closed. */
  readonly openMs: number | null
}

interface Row {
  readonly text: string
  readonly options: JobOptions
  readonly is_open: boolean
  readonly open_ms: number
}

/** @throws Error if the claim is lost */
export async function readText({ db }: Pick<Parts, 'db'>, { jobId, attempt }: Claim): Promise<OpenTextState> {
  const query = { name: 'read_open_text', text: READ, values: [jobId, attempt] }
  const { rows } = await untilAnswered(() => db.pool.query<Row>(query))
  const [row] = rows
  if (row === undefined) throw new Error('the job has ended or belongs to another worker')
  return { text: row.text, pieces: row.options.pieces ?? [], openMs: row.is_open ? row.open_ms : null }
}

/**
 * Closes a text for good, once it is closed or its time is over.
 * @returns false if the text is another one meanwhile or may still grow
 */
export async function sealText(
  { db }: Pick<Parts, 'db'>,
  { jobId, attempt }: Claim,
  { pieces }: TextState,
): Promise<boolean> {
  const values = [jobId, attempt, JSON.stringify(pieces)]
  const { rowCount } = await untilAnswered(() => db.pool.query({ name: 'seal_open_text', text: SEAL, values }))
  return rowCount === 1
}
