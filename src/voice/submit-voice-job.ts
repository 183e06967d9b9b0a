import { requireAccount } from '../access/require.ts'
import { requireEndpoint } from '../catalog/endpoints.ts'
import { endpointRoute } from '../catalog/job-kinds.ts'
import { findLibraryVoice, wrongRecording } from '../catalog/library-voices.ts'
import { type Code, type Markup, markupOf } from '../catalog/markups.ts'
import { checkSpokenText, endpointKey, endpointPath, withJudgedText } from '../catalog/voice-endpoint.ts'
import type { Voice, VoiceEndpoint } from '../context/catalog-snapshot.ts'
import type { Context } from '../context/context.ts'
import { ownLanguage } from '../engines/espeak/espeak-voice.ts'
import { type Detail, notFound } from '../errors/service-error.ts'
import { type IdempotentRequest, idempotentRequest } from '../idempotency/remember-response.ts'
import { type JobOptions, storedOptions } from '../jobs/job-shape.ts'
import { checkSubmission, contentOf, requireReplayable } from '../jobs/lifecycle/check-submission.ts'
import { queueJob, type Submission, unlessReplayed } from '../jobs/lifecycle/queue-job.ts'
import { noteSubmission } from '../jobs/notes/note-submission.ts'
import type { MeasuredParts } from '../telemetry/telemetry.ts'
import { pointerToken } from '../values/json.ts'
import { type CheckedScript, checkScript, type ScriptContext } from './markup/check-script.ts'
import { wrongFormats } from './output-formats.ts'

const MAX_LANGUAGE_CHARACTERS = 64

export interface VoiceJobContext extends Context, ScriptContext, MeasuredParts {}

export interface VoiceJobInput {
  readonly slug: string
  readonly inputs: unknown
  /** Absent: as the endpoint says. */
  readonly markup?: Markup | undefined
  readonly code?: Code | undefined
  readonly webhookUrl?: string | null | undefined
  /** The same key and request return the same job for 24 hours. */
  readonly idempotencyKey?: string | null | undefined
  readonly options?: JobOptions | null | undefined
  readonly tags?: readonly string[] | null | undefined
  /** Replaces endpoint and inputs in the idempotency hash if the caller named neither. */
  readonly sent?: readonly unknown[]
  /** The failed job that this one repeats; the idempotency hash covers it. */
  readonly retryOf?: string
  /**
   * If it is given, the balance has to pay the job with all of the account that wait, and the job needs an `idempotencyKey`. It gets the cost
   * of the job before that is made. @throws PAYMENT_REQUIRED if that is too much
   */
  readonly spend?: (cost: bigint) => void
}

/**
 * Submits a text; the job and its queue row commit together. A worker's claim charges it.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND, IDEMPOTENCY_MISMATCH, INVALID_REQUEST, PAYMENT_REQUIRED, in this order
 */
export const submitVoiceJob = (ctx: VoiceJobContext, input: VoiceJobInput): Promise<Submission> =>
  noteSubmission(ctx, { type: 'voice', endpointKey: endpointKey(input.slug) }, () => submit(ctx, input))

async function submit(ctx: VoiceJobContext, input: VoiceJobInput): Promise<Submission> {
  const submission = { endpointKey: endpointKey(input.slug), idempotencyKey: input.idempotencyKey }
  const endpoint = await requireReplayable(ctx, submission, () => requireEndpoint(ctx, input.slug))
  const idempotency = idempotentRequest(requireAccount(ctx), input.idempotencyKey, contentOf(input))
  return unlessReplayed(ctx, idempotency, async () => {
    if (endpoint === null) throw notFound()
    return submitNew(ctx, input, withChosen(endpoint, input), idempotency)
  })
}

async function submitNew(
  ctx: VoiceJobContext,
  input: VoiceJobInput,
  endpoint: VoiceEndpoint,
  idempotency: IdempotentRequest | null,
): Promise<Submission> {
  const { inputs, voice, cost } = await checkVoiceJob(ctx, input, endpoint)
  input.spend?.(cost)
  return queueJob(ctx, {
    type: 'voice',
    endpointKey: endpointKey(endpoint.slug),
    ...endpointRoute(endpoint),
    inputs,
    voice: voice?.slug ?? null,
    language: languageIn(inputs, voice),
    tags: input.tags,
    options: withMarkup(endpoint, input.options),
    webhookUrl: input.webhookUrl,
    cost,
    idempotency,
    isWithinBalance: input.spend !== undefined,
  })
}

interface CheckedJob {
  /** With the defaults of the endpoint. */
  readonly inputs: Record<string, unknown>
  readonly voice: Voice | undefined
  /** Credits. */
  readonly cost: bigint
}

/** Checks the inputs of a voice job, and what they cost. @throws INVALID_REQUEST */
export async function checkVoiceJob(
  ctx: VoiceJobContext,
  input: VoiceJobInput,
  asked: VoiceEndpoint,
): Promise<CheckedJob> {
  const endpoint = withChosen(asked, input)
  const { accountId } = requireAccount(ctx)
  const own = await findLibraryVoice(ctx.db, accountId, endpoint, namedVoice(endpoint, input.inputs))
  const checked = await checkScript(ctx, accountId, endpoint, input.inputs)
  const inputs = checkSubmission(ctx, input, {
    validate: (copy) => {
      const judged = withJudgedText(copy, endpoint)
      const details = ctx.catalog.current.validators.get(endpoint.slug)?.(judged) ?? []
      return withVoiceAndText(endpoint, judged, details, { own, checked, options: input.options })
    },
    hint: (details) => hintFor(endpoint, details),
  })
  return { inputs, voice: voiceIn(endpoint, inputs, own), cost: costOf(endpoint, checked) }
}

const namedVoice = ({ voiceInput }: VoiceEndpoint, inputs: unknown): unknown =>
  inputs !== null && typeof inputs === 'object' ? (inputs as Record<string, unknown>)[voiceInput] : undefined

interface Found {
  readonly own: Voice | null
  readonly checked: CheckedScript
  readonly options: JobOptions | null | undefined
}

/** Adds the service's own violations only for fields that the endpoint's schema accepts. */
function withVoiceAndText(
  endpoint: VoiceEndpoint,
  inputs: Record<string, unknown>,
  details: readonly Detail[],
  { own, checked, options }: Found,
): readonly Detail[] {
  const voice = voiceIn(endpoint, inputs, own)
  const wrongVoice = voice === own && own !== null ? wrongRecording(endpoint, own) : null
  const violations = [
    {
      path: `/inputs/${pointerToken(endpoint.voiceInput)}`,
      message: voice === undefined ? 'unknown voice' : wrongVoice,
    },
    { path: '/inputs/text', message: wrongText(endpoint, checked, voice, inputs) },
    ...wrongFormats(endpoint, inputs, options),
  ]
  const more = violations.flatMap(({ path, message }) =>
    message === null || details.some((detail) => detail.path === path) ? [] : [{ path, message }],
  )
  return [...details, ...more]
}

const voiceIn = ({ voices, voiceInput }: VoiceEndpoint, inputs: Record<string, unknown>, own: Voice | null) =>
  voices.find(({ slug }) => slug === inputs[voiceInput]) ?? own ?? undefined

/** Null: the worker detects the language, because that takes up to 1 ms. */
function languageIn({ language }: Record<string, unknown>, voice: Voice | undefined): string | null {
  if (typeof language === 'string' && language !== 'auto') return language.slice(0, MAX_LANGUAGE_CHARACTERS)
  return (voice && ownLanguage(voice)) ?? null
}

function wrongText(
  endpoint: VoiceEndpoint,
  checked: CheckedScript,
  voice: Voice | undefined,
  inputs: Record<string, unknown>,
): string | null {
  const message = checkSpokenText(inputs.text, endpoint) ?? checked.violation
  return message ?? (voice === undefined ? null : checked.unspeakable(voice, inputs.language))
}

/** A request may choose its own markup. */
const withChosen = (endpoint: VoiceEndpoint, { markup, code }: VoiceJobInput): VoiceEndpoint => ({
  ...endpoint,
  ...(markup !== undefined && { markup: markup === 'none' ? null : markup }),
  ...(code !== undefined && { code }),
})

/** The job stores its markup, because its endpoint may change before a worker claims it. */
export function withMarkup({ markup, code }: VoiceEndpoint, options: JobOptions | null | undefined): JobOptions | null {
  const { markup: _markup, code: _code, ...rest } = options ?? {}
  const known = markupOf(markup)
  return storedOptions({
    ...rest,
    markup: known === 'none' ? undefined : known,
    code: known === 'markdown' && code === 'skip' ? code : undefined,
  })
}

function hintFor(endpoint: VoiceEndpoint, details: readonly Detail[]): string {
  const voiceOnly = details.every(({ message }) => message === 'unknown voice')
  return voiceOnly
    ? `Send a voice from GET ${endpointPath(endpoint.slug)}/voices.`
    : `Send inputs that fit the schema from GET ${endpointPath(endpoint.slug)}/schema.`
}

/** Credits: the endpoint's price for a character times the charged characters, which `markup/script.ts` counts. */
const costOf = (endpoint: VoiceEndpoint, { script }: CheckedScript): bigint =>
  BigInt(endpoint.creditsPerCharacter) * BigInt(script?.characters ?? 0)
