import { createHash } from 'node:crypto'
import type { AccountActor, Context, KeyActor } from '../context.ts'
import { inTransaction } from '../db/database.ts'
import { serverOf } from '../endpoints/engine-server.ts'
import { reachEndpoint } from '../endpoints/reach-endpoint.ts'
import { canonicalJson, endpointKey, endpointPath, poolOf, type VoiceEndpoint } from '../endpoints/voice-endpoint.ts'
import { type Detail, internalError, invalidRequest, paymentRequired, unauthorized } from '../errors.ts'
import { idTime, newId } from '../id.ts'
import {
  checkIdempotencyKey,
  type IdempotentRequest,
  recallJob,
  rememberJob,
} from '../idempotency/remember-response.ts'
import { type JobKind, voiceKind } from '../queue/job-kind.ts'
import type { Lane, Statement } from '../queue/queue.ts'
import { unsafeTextPath } from '../unsafe-text.ts'
import { checkWebhookUrl } from '../webhooks/check-webhook-url.ts'

export interface VoiceJobInput {
  readonly slug: string
  /** The endpoint's own named inputs, not yet validated. */
  readonly inputs: unknown
  readonly webhookUrl?: string | null | undefined
  readonly idempotencyKey?: string | null | undefined
}

export interface Submission {
  readonly jobId: string
  readonly status: 'queued'
  /** True when an Idempotency-Key led to a job that was there before. */
  readonly replayed: boolean
}

/**
 * Takes a text to be spoken (spec 4.1). The job and its place in the queue are committed together before this returns; nothing is
 * charged until a worker takes the job.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND, INVALID_REQUEST, PAYMENT_REQUIRED, IDEMPOTENCY_MISMATCH, in this order
 */
export async function submitVoiceJob(ctx: Context, input: VoiceJobInput): Promise<Submission> {
  const endpoint = reachEndpoint(ctx, input.slug)
  const actor = ctx.actor
  if (actor.kind !== 'key' && actor.kind !== 'account') throw unauthorized()
  const idempotency = idempotentRequest(actor.accountId, input)
  const inputs = validInputs(ctx, endpoint, input)
  const known = idempotency === null ? null : await recallJob(ctx.db.pool, idempotency)
  if (known !== null) return { jobId: known, status: 'queued', replayed: true }
  if (actor.credits <= 0n) throw paymentRequired()

  const jobId = newId('job')
  const kind = voiceKind(poolOf(endpoint))
  const lane = { accountId: actor.accountId, server: serverOf(endpoint) }
  const insert = insertStatement(jobId, actor, endpoint, inputs, input.webhookUrl ?? null)
  await ctx.queue.prepare(kind)
  if (idempotency === null) await ctx.queue.enqueueWith(ctx.db, insert, kind, jobId, lane)
  else if (!(await insertOnce(ctx, idempotency, insert, kind, jobId, lane))) return replayOf(ctx, idempotency)
  ctx.queue.wake(kind)
  return { jobId, status: 'queued', replayed: false }
}

function insertStatement(
  jobId: string,
  actor: KeyActor | AccountActor,
  endpoint: VoiceEndpoint,
  inputs: Record<string, unknown>,
  webhookUrl: string | null,
): Statement {
  return {
    name: 'insert_voice_job',
    text: `insert into job (id, account_id, type, endpoint_key, api_key_id, inputs, webhook_url, cost, created_at)
           values ($1, $2, 'voice', $3, $4, $5, $6, $7, $8)`,
    values: [
      jobId,
      actor.accountId,
      endpointKey(endpoint.slug),
      actor.kind === 'key' ? actor.apiKeyId : null,
      JSON.stringify(inputs),
      webhookUrl,
      costOf(endpoint, inputs),
      idTime(jobId),
    ],
  }
}

/** Makes the job unless another request with the same key has made one: then false. */
function insertOnce(
  ctx: Context,
  request: IdempotentRequest,
  insert: Statement,
  kind: JobKind,
  jobId: string,
  lane: Lane,
): Promise<boolean> {
  return inTransaction(ctx.db, async (tx) => {
    if (!(await rememberJob(tx, request, jobId))) return false
    await tx.query({ ...insert, values: [...insert.values] })
    await ctx.queue.enqueue(tx, kind, jobId, lane)
    return true
  })
}

/** Another request with the same key committed first: its job is the answer. */
async function replayOf(ctx: Context, idempotency: IdempotentRequest): Promise<Submission> {
  const jobId = await recallJob(ctx.db.pool, idempotency)
  if (jobId === null) throw internalError('an idempotency record vanished')
  return { jobId, status: 'queued', replayed: true }
}

function validInputs(
  ctx: Context,
  endpoint: VoiceEndpoint,
  { inputs, webhookUrl }: VoiceJobInput,
): Record<string, unknown> {
  if (inputs === null || typeof inputs !== 'object' || Array.isArray(inputs)) {
    throw invalidRequest('Send the inputs as a JSON object.', [{ path: '/inputs', message: 'must be an object' }])
  }
  const unsafe = unsafeTextPath(inputs)
  if (unsafe !== null) {
    throw invalidRequest('Send text without NUL characters and lone surrogates.', [
      { path: `/inputs${unsafe}`, message: 'holds a character that cannot be stored' },
    ])
  }
  const copy: Record<string, unknown> = structuredClone(inputs as Record<string, unknown>)
  const details = [...(ctx.catalog.current.validators.get(endpoint.slug)?.(copy) ?? [])]
  if (!details.some(({ path }) => path === `/inputs/${endpoint.voiceInput}`))
    details.push(...unknownVoice(endpoint, copy))
  if (webhookUrl !== undefined && webhookUrl !== null) {
    const message = checkWebhookUrl(webhookUrl, ctx.settings.egressAllow)
    if (message !== null) details.push({ path: '/webhook_url', message })
  }
  if (details.length > 0) throw invalidRequest(adviceFor(endpoint, details), details)
  return copy
}

function unknownVoice(endpoint: VoiceEndpoint, inputs: Record<string, unknown>): Detail[] {
  const chosen = inputs[endpoint.voiceInput]
  return endpoint.voices.some((voice) => voice.slug === chosen)
    ? []
    : [{ path: `/inputs/${endpoint.voiceInput}`, message: 'unknown voice' }]
}

function adviceFor(endpoint: VoiceEndpoint, details: readonly Detail[]): string {
  const voiceOnly = details.every(({ message }) => message === 'unknown voice')
  return voiceOnly
    ? `Send a voice from GET ${endpointPath(endpoint.slug)}/voices.`
    : `Send inputs that fit the schema from GET ${endpointPath(endpoint.slug)}/schema.`
}

/** Credits: the endpoint's price times the Unicode code points of the text (contract.md section 5). */
function costOf(endpoint: VoiceEndpoint, inputs: Record<string, unknown>): bigint {
  const text = typeof inputs.text === 'string' ? inputs.text : ''
  let codePoints = 0
  for (const _ of text) codePoints++
  return BigInt(endpoint.creditsPerCharacter) * BigInt(codePoints)
}

function idempotentRequest(accountId: string, input: VoiceJobInput): IdempotentRequest | null {
  if (input.idempotencyKey === undefined || input.idempotencyKey === null) return null
  checkIdempotencyKey(input.idempotencyKey)
  const request = canonicalJson([input.slug, input.inputs, input.webhookUrl ?? null])
  return { accountId, key: input.idempotencyKey, requestHash: createHash('sha256').update(request).digest() }
}
