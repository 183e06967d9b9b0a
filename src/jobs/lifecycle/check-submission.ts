import type { Context } from '../../context/context.ts'
import { checkWebhookUrl } from '../../egress/check-webhook-url.ts'
import { type Detail, invalidRequest } from '../../errors/service-error.ts'
import { pointerOf } from '../../values/json-pointer.ts'
import { findUnstorable } from '../../values/storable-json.ts'

const URL_HINT = 'Send a public https:// address as webhook_url: see `details`.'

interface Envelope {
  readonly inputs: unknown
  readonly webhookUrl?: string | null | undefined
}

interface Rules {
  validate(inputs: Record<string, unknown>): readonly Detail[]
  hint(details: readonly Detail[]): string
}

/**
 * Validates a submission; returns its inputs with defaults.
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
