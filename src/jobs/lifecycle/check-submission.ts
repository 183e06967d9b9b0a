import type { Context } from '../../context/context.ts'
import { checkWebhookUrl } from '../../egress/check-webhook-url.ts'
import { type Detail, invalidRequest } from '../../errors/service-error.ts'
import { pointerOf } from '../../values/json-pointer.ts'
import { findUnstorable } from '../../values/storable-json.ts'

const URL_HINT = 'Send a public https:// address as webhook_url: see `details`.'

interface Envelope {
  /** The endpoint's own named inputs, not yet validated. */
  readonly inputs: unknown
  readonly webhookUrl?: string | null | undefined
}

interface Rules {
  /** Fills in defaults in place and says what is wrong. */
  validate(inputs: Record<string, unknown>): readonly Detail[]
  /** One sentence on what to do about it. */
  hint(details: readonly Detail[]): string
}

/**
 * Holds the envelope of a submission against its endpoint, and returns a copy of the inputs with the defaults filled in.
 * @throws INVALID_REQUEST
 */
export function checkSubmission(
  ctx: Context,
  { inputs, webhookUrl }: Envelope,
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
  // As it is stored. To clone the structure of thousands of keys takes twice as long.
  const copy = JSON.parse(JSON.stringify(inputs)) as Record<string, unknown>
  const details = [...validate(copy)]
  if (webhookUrl !== undefined && webhookUrl !== null) {
    const message = checkWebhookUrl(webhookUrl, ctx.settings.egressAllow)
    if (message !== null) details.push({ path: '/webhook_url', message })
  }
  const onlyUrl = details.every(({ path }) => path === '/webhook_url')
  if (details.length > 0) throw invalidRequest(onlyUrl ? URL_HINT : hint(details), details)
  return copy
}

/** What an Idempotency-Key stands for. A retry is another request than the submission that it repeats, and than a retry of another job. */
export const contentOf = (input: {
  readonly slug: string
  readonly inputs: unknown
  readonly webhookUrl?: string | null | undefined
  readonly retryOf?: string
  readonly options?: object | null | undefined
  readonly sent?: readonly unknown[]
}): readonly unknown[] =>
  input.sent ?? [
    ...(input.retryOf === undefined ? [] : ['retryJob', input.retryOf]),
    ...[input.slug, input.inputs, input.webhookUrl ?? null],
    ...(input.options ? [input.options] : []),
  ]
