import { requireAccount, requireScope } from '../../access/require.ts'
import { VOICE_SCOPE } from '../../access/scopes.ts'
import { requireEndpoint } from '../../catalog/endpoints.ts'
import { markupOf } from '../../catalog/markups.ts'
import { limitingLockWaits, outwaitLocks } from '../../db/connections/lock-wait.ts'
import type { Tx } from '../../db/database.ts'
import { untilAnswered } from '../../db/until-answered.ts'
import { jobNotFound, monthlyLimitReached, paymentRequired } from '../../errors/service-error.ts'
import type { JobOptions } from '../../jobs/job-shape.ts'
import { type JobErrorCode, JobFailure, type JobStatus } from '../../jobs/job-states.ts'
import { cancelJob } from '../../jobs/lifecycle/cancel-job.ts'
import type { EndingParts } from '../../jobs/lifecycle/end-jobs.ts'
import { hasCode, LIMIT_REACHED } from '../../jobs/lifecycle/queue-job.ts'
import { readScript } from '../markup/read-script.ts'
import { closeElements } from '../markup/ssml.ts'
import { checkVoiceJob, submitVoiceJob, type VoiceJobContext, type VoiceJobInput } from '../submit-voice-job.ts'
import { OPEN_FOR, type TextState } from './text-state.ts'
import type { TextWaits } from './text-waits.ts'

export interface OpenTextContext extends VoiceJobContext, EndingParts {
  readonly textWaits: TextWaits
}

/** A voice job whose text is still written, as its only writer knows it. */
export interface OpenText {
  readonly jobId: string
  readonly input: VoiceJobInput
  readonly state: TextState
}

const WRITABLE = `status in ('queued', 'processing') and not options ? 'sealed'`

/**
 * Writes the text with its pieces and its price. The job's row is locked first, then its account's, as claims do. Credits are held
 * once the job is claimed. A worker that knows no such jobs has charged and closed the text that it found.
 */
const WRITE = `
with mine as materialized (
  select id, account_id, held from job
  where id = $1 and account_id = $2 and ${WRITABLE} and (status = 'queued' or held is not null) and options -> 'pieces' = $3::jsonb
    and ${limitingLockWaits('$8')}
  for no key update
), payer as (
  update account a set held = a.held + $6::bigint - m.held from mine m
  where a.id = m.account_id and m.held is not null and a.credits - a.held >= $6::bigint - m.held
  returning a.id
)
update job j set inputs = $4::json, cost = $6::bigint, held = case when mine.held is not null then $6::bigint end,
  options = case when $7 then options || jsonb_build_object('pieces', $5::jsonb)
    else options - 'open' || jsonb_build_object('pieces', $5::jsonb) end,
  open_until = case when $7 then now() + ${OPEN_FOR} end
from mine where j.id = mine.id and (mine.held is null or exists (select from payer))
returning j.id`

const CLOSE = `
  update job set options = options - 'open', open_until = null
  where id = $1 and account_id = $2 and ${WRITABLE} and options ? 'open'`

const COSTS = `select inputs, cost, options from job where id = $1 and account_id = $2`

const LOOK = `select status, held, error_code, options from job where id = $1 and account_id = $2`

/**
 * Submits a job with the first pieces of its text. It is charged at its end, for the text that it then has.
 * @throws errors of `submitVoiceJob`
 */
export async function openText(
  ctx: OpenTextContext,
  input: VoiceJobInput,
  pieces: readonly string[],
): Promise<OpenText> {
  const state = grown({ text: '', pieces: [] }, pieces)
  const options = { ...input.options, live: true, open: true, pieces: state.pieces } as const
  const { jobId } = await submitVoiceJob(ctx, { ...input, inputs: withText(input.inputs, state), options })
  return { jobId, input, state }
}

/**
 * Adds pieces to the text of an open job.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND, INVALID_REQUEST, PAYMENT_REQUIRED; JobFailure if the job takes no text any more
 */
export async function appendText(ctx: OpenTextContext, open: OpenText, pieces: readonly string[]): Promise<OpenText> {
  requireSpeaker(ctx)
  const state = grown(open.state, pieces)
  const { input } = open
  const checked = await checkVoiceJob(
    ctx,
    { ...input, inputs: withText(input.inputs, state) },
    requireEndpoint(ctx, input.slug),
  )
  return write(ctx, open, { ...checked, state, isOpen: true })
}

/** Closes the text: the job ends when all of it is spoken. A text that is closed stays so. @throws UNAUTHORIZED, FORBIDDEN */
export async function closeText(ctx: OpenTextContext, { jobId }: Pick<OpenText, 'jobId'>): Promise<void> {
  const { accountId } = requireSpeaker(ctx)
  await untilAnswered(() => ctx.db.pool.query({ name: 'close_text', text: CLOSE, values: [jobId, accountId] }))
  ctx.textWaits.wake(jobId)
}

/**
 * Drops the text behind this end, in UTF-16 units, and closes the rest, for which alone the job is charged. Without a rest the job is
 * cancelled. A text that a worker has spoken to its end stays whole. Nothing else is checked, because the listener heard it already.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND
 */
export async function cutText(ctx: OpenTextContext, open: OpenText, end: number): Promise<void> {
  const { text, pieces } = open.state
  if (end >= text.length) return closeText(ctx, open)
  if (text.slice(0, end).trim() === '') return void (await cancelJob(ctx, { jobId: open.jobId }))
  const kept = { text: text.slice(0, end), pieces: [...pieces.filter((at) => at < end), end] }
  const written = await writtenFor(ctx, open)
  const inputs = withText(written.inputs, kept)
  const cost = costUntil(written, end)
  await write(ctx, open, { inputs, cost, state: kept, isOpen: false }).catch((error: unknown) => {
    if (!(error instanceof JobFailure)) throw error
  })
}

interface Written {
  readonly inputs: { readonly text: string }
  readonly cost: string
  readonly options: JobOptions
}

async function writtenFor(ctx: OpenTextContext, { jobId }: OpenText): Promise<Written> {
  const { accountId } = requireSpeaker(ctx)
  const { rows } = await untilAnswered(() => ctx.db.pool.query<Written>(COSTS, [jobId, accountId]))
  const [row] = rows
  if (row === undefined) throw jobNotFound()
  return row
}

/** The share of the price by charged characters; the endpoint may be gone. */
function costUntil({ inputs: { text }, cost, options }: Written, end: number): bigint {
  const markup = markupOf(options.markup)
  const [all, kept] = [text, text.slice(0, end)].map((one) => {
    const closed = markup === 'ssml' ? closeElements(one) : one
    return BigInt(readScript(closed, markup, options.code).characters)
  }) as [bigint, bigint]
  return all === 0n ? 0n : (BigInt(cost) * kept) / all
}

function requireSpeaker(ctx: OpenTextContext) {
  requireScope(ctx, VOICE_SCOPE)
  return requireAccount(ctx)
}

const grown = (state: TextState, pieces: readonly string[]): TextState =>
  pieces.reduce(({ text, pieces: ends }, piece) => {
    const whole = text + piece
    return { text: whole, pieces: [...ends, whole.length] }
  }, state)

const withText = (inputs: unknown, { text }: TextState): object => ({ ...(inputs as object), text })

interface Change {
  readonly inputs: object
  /** Credits. */
  readonly cost: bigint
  readonly state: TextState
  readonly isOpen: boolean
}

async function write(ctx: OpenTextContext, open: OpenText, change: Change): Promise<OpenText> {
  const { accountId } = requireSpeaker(ctx)
  const { jobId } = open
  const { inputs, cost, state, isOpen } = change
  const [before, after] = [open.state, state].map(({ pieces }) => JSON.stringify(pieces))
  const values = [jobId, accountId, before, JSON.stringify(inputs), after, cost, isOpen]
  const query = (longest: string) =>
    ctx.db.pool.query({ name: 'write_text', text: WRITE, values: [...values, longest] })
  const writeOnce = () => outwaitLocks(ctx.db, accountId, query)
  const { rowCount } = await untilAnswered(writeOnce).catch((error: unknown) => {
    throw hasCode(error, LIMIT_REACHED) ? monthlyLimitReached() : error
  })
  if (rowCount === 0) await explainUnwritten(ctx.db.pool, jobId, accountId, state)
  ctx.textWaits.wake(jobId)
  return { ...open, state }
}

/** Returns if an earlier try, whose answer was lost, has written the text. */
async function explainUnwritten(db: Pick<Tx, 'query'>, jobId: string, accountId: string, state: TextState) {
  interface Row {
    readonly status: JobStatus
    readonly held: string | null
    readonly error_code: JobErrorCode | null
    readonly options: JobOptions
  }
  const { rows } = await db.query<Row>(LOOK, [jobId, accountId])
  const [row] = rows
  if (row === undefined) throw jobNotFound()
  const { pieces = [], sealed } = row.options
  if (pieces.join() === state.pieces.join()) return
  if (row.status === 'failed') throw new JobFailure(row.error_code ?? 'INTERNAL_ERROR', 'the job has failed')
  const isCharged = row.status === 'processing' && row.held === null
  if (row.status === 'completed' || sealed || isCharged) throw new JobFailure('JOB_TIMEOUT', 'the text was closed')
  throw paymentRequired()
}
