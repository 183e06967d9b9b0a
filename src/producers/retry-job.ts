import type { AccountHolder } from '../access/actor.ts'
import { requireAccount, requireScope } from '../access/require.ts'
import { GENERATION_SCOPE, VOICE_SCOPE } from '../access/scopes.ts'
import { isQueued, type QueuedType } from '../catalog/job-kinds.ts'
import type { Context } from '../context/context.ts'
import { invalidRequest, jobNotFound } from '../errors/service-error.ts'
import { type GenerationInput, submitGeneration } from '../generation/submit-generation.ts'
import { type Each, eachId } from '../jobs/each-id.ts'
import type { JobOptions } from '../jobs/job-shape.ts'
import { queuedTypeSql } from '../jobs/job-states.ts'
import type { Submission } from '../jobs/lifecycle/queue-job.ts'
import { isId } from '../values/id.ts'
import { closeElements } from '../voice/markup/ssml.ts'
import { submitVoiceJob, type VoiceJobContext } from '../voice/submit-voice-job.ts'

/** A job id is appended. */
const MAX_KEY_CHARACTERS = 200

const VIEW = {
  type: true,
  status: true,
  endpointKey: true,
  inputs: true,
  webhookUrl: true,
  options: true,
  tags: true,
} as const

type Again = GenerationInput & { readonly inputs: Record<string, unknown> }

const SUBMIT: Readonly<Record<QueuedType, (ctx: VoiceJobContext, again: Again) => Promise<Submission>>> = {
  voice: submitVoiceJob,
  generate: submitGeneration,
}

/** The whole text is known now, also if it came while it was spoken; its listener may have cut it within an element. */
function whole({ inputs, options }: { readonly inputs: unknown; readonly options: unknown }) {
  const { pieces, open: _open, sealed: _sealed, ...rest } = (options ?? {}) as JobOptions
  const sent = inputs as Record<string, unknown>
  const isCut = pieces !== undefined && rest.markup === 'ssml'
  return {
    inputs: isCut ? { ...sent, text: closeElements(String(sent.text)) } : sent,
    options: options === null ? null : rest,
  }
}

/** JOB_TEXTS was off when the job ended. `WITH_INPUTS` must agree. */
const lacksInputs = ({ type, inputs }: { readonly type: string; readonly inputs: unknown }): boolean =>
  inputs === null || (type === 'voice' && Object.keys(inputs as object).join() === 'characters')

const WITH_INPUTS = `
  select id from job
  where id = any($1) and ${queuedTypeSql('type')} and case
    when json_typeof(inputs) = 'null' then false
    when type = 'voice' then array(select json_object_keys(inputs)) <> '{characters}'
    else true end`

/** Finds the failed jobs of these that can be retried. The caller checks access, and that they failed. */
export async function loadRetryable(
  { db }: Pick<Context, 'db'>,
  jobIds: readonly string[],
): Promise<Map<string, true>> {
  const { rows } = await db.pool.query<{ id: string }>({ name: 'with_inputs', text: WITH_INPUTS, values: [jobIds] })
  return new Map(rows.map(({ id }) => [id, true]))
}

export interface Retry {
  readonly jobId: string
  /** Valid for 24 hours. */
  readonly idempotencyKey?: string | null | undefined
}

export interface Retries {
  readonly ids: readonly string[]
  readonly idempotencyKey?: string | null | undefined
}

/**
 * A new job with a new charge.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND (also for jobs of other accounts), INVALID_REQUEST, PAYMENT_REQUIRED, IDEMPOTENCY_MISMATCH
 */
export async function retryJob(ctx: VoiceJobContext, input: Retry): Promise<Submission> {
  const { accountId } = requireProducer(ctx)
  const { jobId, idempotencyKey } = input
  const row = await findRow(ctx, accountId, jobId)
  if (row === null) throw jobNotFound()
  if (row.status !== 'failed') throw notRetryable('Retry jobs that have failed: this one has not.', 'has not failed')
  if (lacksInputs(row)) {
    const hint = 'Send the request again: this service keeps no inputs of jobs that have ended.'
    throw notRetryable(hint, 'has no inputs any more')
  }
  const again = {
    slug: row.endpointKey.slice(row.endpointKey.indexOf('.') + 1),
    ...whole(row),
    webhookUrl: row.webhookUrl,
    idempotencyKey,
    tags: row.tags,
    retryOf: jobId,
  }
  if (isQueued(row.type)) return SUBMIT[row.type](ctx, again)
  throw notRetryable('Send the request again: what a companion job was sent is not kept.', 'is a companion job')
}

/**
 * Runs before any look-up.
 * @throws UNAUTHORIZED, FORBIDDEN
 */
function requireProducer(ctx: Context): AccountHolder {
  const caller = requireAccount(ctx)
  const mayGenerate = 'scopes' in caller && caller.scopes.includes(GENERATION_SCOPE)
  if (!mayGenerate) requireScope(ctx, VOICE_SCOPE)
  return caller
}

const notRetryable = (hint: string, message: string) => invalidRequest(hint, [{ path: '/id', message }])

const findRow = async ({ db }: Context, accountId: string, jobId: string) =>
  isId('job', jobId) ? db.prisma.job.findUnique({ where: { id: jobId, accountId }, select: VIEW }) : null

/**
 * Retries up to 100 failed jobs; each fails alone.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST
 */
export async function retryJobs(ctx: VoiceJobContext, { ids, idempotencyKey }: Retries): Promise<Each<Submission>[]> {
  requireProducer(ctx)
  if (idempotencyKey != null && idempotencyKey.length > MAX_KEY_CHARACTERS)
    throw invalidRequest('Invalid arguments: see `details`.', [
      { path: '/idempotencyKey', message: `must have at most ${MAX_KEY_CHARACTERS} characters` },
    ])
  const keyOf = (jobId: string) => (idempotencyKey == null ? idempotencyKey : `${idempotencyKey} ${jobId}`)
  return eachId(ctx, ids, (jobId) => retryJob(ctx, { jobId, idempotencyKey: keyOf(jobId) }))
}
