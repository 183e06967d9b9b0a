import { requireAccount } from '../../access/require.ts'
import type { Context } from '../../context/context.ts'
import { checkWebhookUrl } from '../../egress/check-webhook-url.ts'
import { type Detail, invalidRequest, ServiceError } from '../../errors/service-error.ts'
import { idempotentRequest, madeBefore, recallJob } from '../../idempotency/remember-response.ts'
import { findUnstorable, pointerOf } from '../../values/json.ts'

const MAX_TAGS = 10
const MAX_TAG_CHARACTERS = 64
const TAGS = '/options/tags'
const UNPRINTABLE = /[\p{Cc}\p{Cs}]/u
/** By the path of what is wrong, if nothing else is. */
const HINTS: Readonly<Record<string, string>> = {
  '/webhook_url': 'Send a public https:// address as webhook_url: see `details`.',
  [TAGS]: `Send at most ${MAX_TAGS} tags of 1 to ${MAX_TAG_CHARACTERS} characters: see \`details\`.`,
}

interface Envelope {
  readonly inputs: unknown
  readonly webhookUrl?: string | null | undefined
  readonly tags?: readonly string[] | null | undefined
}

interface Rules {
  validate(inputs: Record<string, unknown>): readonly Detail[]
  hint(details: readonly Detail[]): string
}

interface SubmissionTarget {
  readonly endpointKey: string
  readonly idempotencyKey: string | null | undefined
}

/**
 * Validates a submission; returns its inputs with defaults.
 * @throws INVALID_REQUEST
 */
export function checkSubmission(
  ctx: Context,
  { inputs, webhookUrl, tags }: Envelope,
  { validate, hint }: Rules,
): Record<string, unknown> {
  if (inputs === null || typeof inputs !== 'object' || Array.isArray(inputs)) {
    throw invalidRequest('Send the inputs as a JSON object.', [{ path: '/inputs', message: 'must be an object' }])
  }
  const unstorable = findUnstorable(inputs)
  if (unstorable !== null) {
    const { path, message, error } = unstorable
    throw invalidRequest(error, [{ path: `/inputs${pointerOf(path)}`, message }])
  }
  const copy = JSON.parse(JSON.stringify(inputs)) as Record<string, unknown>
  const details = [...validate(copy), ...wrongTags(tags ?? [])]
  if (webhookUrl !== undefined && webhookUrl !== null) {
    const message = checkWebhookUrl(webhookUrl, ctx.settings.egressAllow)
    if (message !== null) details.push({ path: '/webhook_url', message })
  }
  const [first] = details
  if (first === undefined) return copy
  const isAlone = details.every(({ path }) => path === first.path)
  throw invalidRequest((isAlone && HINTS[first.path]) || hint(details), details)
}

function wrongTags(tags: readonly string[]): Detail[] {
  const path = TAGS
  if (new Set(tags).size > MAX_TAGS) return [{ path, message: `must be at most ${MAX_TAGS}` }]
  if (tags.some((tag) => tag === '' || [...tag].length > MAX_TAG_CHARACTERS))
    return [{ path, message: `must have 1 to ${MAX_TAG_CHARACTERS} characters each` }]
  return tags.some((tag) => UNPRINTABLE.test(tag)) ? [{ path, message: 'must not contain control characters' }] : []
}

export const contentOf = (input: {
  readonly slug: string
  readonly inputs: unknown
  readonly webhookUrl?: string | null | undefined
  readonly retryOf?: string
  readonly options?: object | null | undefined
  readonly tags?: readonly string[] | null | undefined
  readonly sent?: readonly unknown[]
}): readonly unknown[] =>
  input.sent ?? [
    ...(input.retryOf === undefined ? [] : ['retryJob', input.retryOf]),
    ...[input.slug, input.inputs, input.webhookUrl ?? null],
    ...(input.options ? [input.options] : []),
    ...(input.tags?.length ? [{ tags: input.tags }] : []),
  ]

/**
 * Calls `find`. Null if it finds nothing, but the caller's key made a job there under this Idempotency-Key.
 * @throws errors of `find`
 */
export async function requireReplayable<T>(ctx: Context, target: SubmissionTarget, find: () => T): Promise<T | null> {
  try {
    return find()
  } catch (error) {
    const missing = error instanceof ServiceError && error.code === 'NOT_FOUND'
    if (missing && (await madeBefore(ctx, requireAccount(ctx), target))) return null
    throw error
  }
}

/**
 * `endpoint_key` of the job that the same request made; null without one.
 * @throws IDEMPOTENCY_MISMATCH, INVALID_REQUEST for a malformed key
 */
export async function endpointOfReplay(
  ctx: Context,
  idempotencyKey: string | undefined,
  content: readonly unknown[],
): Promise<string | null> {
  const request = idempotentRequest(requireAccount(ctx), idempotencyKey, content)
  const id = request === null ? null : await recallJob(ctx, request)
  if (id === null) return null
  const job = await ctx.db.prisma.job.findUnique({ where: { id }, select: { endpointKey: true } })
  return job?.endpointKey ?? null
}
