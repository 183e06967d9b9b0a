import { requireScope } from '../access/require.ts'
import { MEDIA_TAG_SCOPE } from '../access/scopes.ts'
import { complaintAboutAddress, complaintAboutLength } from '../egress/check-webhook-url.ts'
import { invalidRequest } from '../errors/service-error.ts'
import type { ContentPart } from './chat-completions.ts'
import type { CompanionContext } from './companion.ts'
import { type CompanionView, runCompanionJob } from './companion-job.ts'
import type { Limit } from './companion-server.ts'
import type { Decision } from './finish-job.ts'
import type { Judged } from './moderate.ts'
import { parseTags } from './parse-tags.ts'

const SCHEMES = 'http:// or https://'
const PLAIN_ORIGIN = /^http:\/\/([^/?#]*?)(?::80)?(?=[/?#]|$)/i

export type MediaKind = 'image' | 'video' | 'audio'

export interface MediaTagInput {
  readonly mediaUrl: string
  readonly mediaKind: MediaKind
  readonly idempotencyKey?: string | null | undefined
}

export interface MediaTagResult {
  readonly mediaUrl: string
  readonly mediaKind: MediaKind
  readonly tags: readonly string[]
}

/**
 * The model's server fetches the medium, never this service.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST, IDEMPOTENCY_MISMATCH, IDEMPOTENCY_IN_PROGRESS
 */
export async function tagMedia(ctx: CompanionContext, input: MediaTagInput): Promise<CompanionView<MediaTagResult>> {
  requireScope(ctx, MEDIA_TAG_SCOPE)
  checkMediaUrl(ctx, input.mediaUrl)
  const { mediaUrl, mediaKind } = input
  return runCompanionJob(ctx, {
    type: 'companion_media_tag',
    endpointKey: 'media.companion_tag',
    idempotencyKey: input.idempotencyKey,
    content: [mediaUrl, mediaKind],
    context: { mediaUrl, mediaKind },
    perform: (limit) => tag(ctx, { mediaUrl, mediaKind }, limit),
  })
}

type Medium = Pick<MediaTagInput, 'mediaUrl' | 'mediaKind'>

/** No caller may send the model's server into its own network. */
function checkMediaUrl(ctx: CompanionContext, mediaUrl: string): void {
  const message =
    complaintAboutLength(mediaUrl) ??
    complaintAboutAddress(mediaUrl.replace(PLAIN_ORIGIN, 'https://$1'), ctx.settings.egressAllow, SCHEMES)
  if (message === null && mediaUrl.isWellFormed()) return
  throw invalidRequest('Send the public URL of a medium: see `details`.', [
    { path: '/media_url', message: message ?? 'holds a character that cannot be stored' },
  ])
}

async function tag(ctx: CompanionContext, medium: Medium, limit: Limit): Promise<Decision<MediaTagResult>> {
  const { model, moderator } = ctx.companion
  const untagged = { ...medium, tags: [] }
  const shown = await moderator.moderate(judgedOf(medium), limit)
  if (shown.isProhibited) return { rejection: `The medium ${shown.reason}.`, result: untagged }
  if (model === null) return { rejection: null, result: untagged }

  const tags = parseTags(await model.complete([{ role: 'user', content: promptFor(medium) }], limit))
  if (tags.length === 0) return { rejection: null, result: untagged }
  const named = await moderator.moderate(tags.join(', '), limit)
  if (named.isProhibited) return { rejection: `One of the tags ${named.reason}.`, result: untagged }
  return { rejection: null, result: { ...medium, tags } }
}

const judgedOf = ({ mediaUrl, mediaKind }: Medium): Judged =>
  mediaKind === 'image' ? [{ type: 'text', text: mediaUrl }, imagePart(mediaUrl)] : mediaUrl

function promptFor({ mediaUrl, mediaKind }: Medium): ContentPart[] {
  const task = 'Answer with nothing but a JSON array of 1 to 20 short lower-case English tags.'
  return mediaKind === 'image'
    ? [{ type: 'text', text: `Say what this image shows. ${task}` }, imagePart(mediaUrl)]
    : [{ type: 'text', text: `Say what the ${mediaKind} at ${mediaUrl} holds. ${task}` }]
}

const imagePart = (url: string): ContentPart => ({ type: 'image_url', image_url: { url } })
