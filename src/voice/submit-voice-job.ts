import { requireAccount } from '../access/require.ts'
import { checkSpokenText, withJudgedText } from '../catalog/check-spoken-text.ts'
import { endpointRoute } from '../catalog/engine-server.ts'
import { findLibraryVoice, wrongRecording } from '../catalog/library-voices.ts'
import { requireEndpoint } from '../catalog/require-endpoint.ts'
import { endpointKey, endpointPath } from '../catalog/voice-endpoint.ts'
import type { Voice, VoiceEndpoint } from '../context/catalog-snapshot.ts'
import type { Context } from '../context/context.ts'
import { type Detail, notFound } from '../errors/service-error.ts'
import { type IdempotentRequest, idempotentRequest } from '../idempotency/remember-response.ts'
import { type JobOptions, storedOptions } from '../jobs/job-options.ts'
import { checkSubmission, contentOf } from '../jobs/lifecycle/check-submission.ts'
import { queueJob, type Submission, unlessReplayed } from '../jobs/lifecycle/queue-job.ts'
import { requireReplayable } from '../jobs/lifecycle/require-replayable.ts'
import { noteSubmission } from '../jobs/notes/note-submission.ts'
import type { MeasuredParts } from '../telemetry/telemetry.ts'
import { pointerToken } from '../values/json-pointer.ts'
import { wrongCaptions } from './captions/caption-formats.ts'
import { wrongFormat } from './file-format.ts'
import { type CheckedScript, checkScript, type ScriptContext } from './markup/check-script.ts'

/** What submitting a text needs besides. */
export interface VoiceJobContext extends Context, ScriptContext, MeasuredParts {}

/** An endpoint and its inputs. */
export interface VoiceJobInput {
  readonly slug: string
  /** The endpoint's own named inputs, not yet validated. */
  readonly inputs: unknown
  /** Instead of the account's. */
  readonly webhookUrl?: string | null | undefined
  /** The same key and request lead to the same job for 24 hours; IDEMPOTENCY_MISMATCH with another request. */
  readonly idempotencyKey?: string | null | undefined
  /** How it is to be done besides its inputs. */
  readonly options?: JobOptions | null | undefined
  /** What an idempotency key came with, where its caller named neither an endpoint nor its inputs. */
  readonly sent?: readonly unknown[]
  /** The failed job that it repeats: what an idempotency key came with is then that, and no submission of the same inputs. */
  readonly retryOf?: string
}

/**
 * Takes a text to be spoken. The job and its queue row are committed together before this returns; nothing is
 * charged until a worker takes the job. A repetition is answered with its job, whatever the endpoint of today says.
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
    return submitNew(ctx, input, endpoint, idempotency)
  })
}

async function submitNew(
  ctx: VoiceJobContext,
  input: VoiceJobInput,
  endpoint: VoiceEndpoint,
  idempotency: IdempotentRequest | null,
): Promise<Submission> {
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
  return queueJob(ctx, {
    type: 'voice',
    endpointKey: endpointKey(endpoint.slug),
    ...endpointRoute(endpoint),
    inputs,
    options: withMarkup(endpoint, input.options),
    webhookUrl: input.webhookUrl,
    cost: costOf(endpoint, checked),
    idempotency,
  })
}

/** As it was sent: what is no object, or no text, names none. */
const namedVoice = ({ voiceInput }: VoiceEndpoint, inputs: unknown): unknown =>
  inputs !== null && typeof inputs === 'object' ? (inputs as Record<string, unknown>)[voiceInput] : undefined

/** What was found out about a submission before its inputs are held against their schema. */
interface Found {
  /** The account's own voice that it names. */
  readonly own: Voice | null
  readonly checked: CheckedScript
  readonly options: JobOptions | null | undefined
}

/** The rules that hold for every endpoint, where its own schema has found nothing wrong at the same place. */
function withVoiceAndText(
  endpoint: VoiceEndpoint,
  inputs: Record<string, unknown>,
  details: readonly Detail[],
  { own, checked, options }: Found,
): readonly Detail[] {
  const voice = endpoint.voices.find(({ slug }) => slug === inputs[endpoint.voiceInput]) ?? own ?? undefined
  const wrongVoice = voice === own && own !== null ? wrongRecording(endpoint, own) : null
  const violations = [
    {
      path: `/inputs/${pointerToken(endpoint.voiceInput)}`,
      message: voice === undefined ? 'unknown voice' : wrongVoice,
    },
    { path: '/inputs/text', message: wrongText(endpoint, checked, voice, inputs) },
    ...wrongFormat(endpoint, inputs, options),
    ...wrongCaptions(endpoint, inputs, options),
  ]
  const more = violations.flatMap(({ path, message }) =>
    message === null || details.some((detail) => detail.path === path) ? [] : [{ path, message }],
  )
  return [...details, ...more]
}

/** What keeps the text from being spoken as the chosen voice. */
function wrongText(
  endpoint: VoiceEndpoint,
  checked: CheckedScript,
  voice: Voice | undefined,
  inputs: Record<string, unknown>,
): string | null {
  const message = checkSpokenText(inputs.text, endpoint) ?? checked.violation
  return message ?? (voice === undefined ? null : checked.unspeakable(voice, inputs.language))
}

/** A job keeps how its text is to be read: its endpoint may change before it is spoken. */
function withMarkup({ markup }: VoiceEndpoint, options: JobOptions | null | undefined): JobOptions | null {
  const { markup: _before, ...rest } = options ?? {}
  return storedOptions({ ...rest, markup: markup === 'pauses' || markup === 'ssml' ? markup : undefined })
}

function hintFor(endpoint: VoiceEndpoint, details: readonly Detail[]): string {
  const voiceOnly = details.every(({ message }) => message === 'unknown voice')
  return voiceOnly
    ? `Send a voice from GET ${endpointPath(endpoint.slug)}/voices.`
    : `Send inputs that fit the schema from GET ${endpointPath(endpoint.slug)}/schema.`
}

/** Credits: the endpoint's price times the Unicode code points of the text without its markup. */
const costOf = (endpoint: VoiceEndpoint, { script }: CheckedScript): bigint =>
  BigInt(endpoint.creditsPerCharacter) * BigInt(script?.characters ?? 0)
