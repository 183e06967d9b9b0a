import { requireScope } from '../access/require.ts'
import { MEDIA_TAG_SCOPE } from '../access/scopes.ts'
import { complaintAboutAddress, complaintAboutLength } from '../egress/check-webhook-url.ts'
import { invalidRequest } from '../errors/service-error.ts'
import type { ContentPart, Limit } from './chat-completions.ts'
import type { CompanionContext } from './companion.ts'
import { type CompanionView, type Decision, runCompanionJob } from './companion-job.ts'
import type { Judged } from './moderate.ts'

const SCHEMES = 'http:// or https://'
const PLAIN_ORIGIN = /^http:\/\/([^/?#]*?)(?::80)?(?=[/?#]|$)/i
const MAX_TAGS = 20
const MAX_TAG_CHARACTERS = 60
const MAX_RAW_CHARACTERS = 200
const MAX_TAG_WORDS = 4

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

/** Tags in any list form of a model's reply: at most 20 of at most 60 characters, lower case. */
export function parseTags(reply: string): string[] {
  const listed = fromJson(reply) ?? fromText(reply)
  const short = listed.filter(({ length }) => length <= MAX_RAW_CHARACTERS)
  const tags = short.map(clean).filter((tag) => tag !== '' && [...tag].length <= MAX_TAG_CHARACTERS)
  return [...new Set(tags)].slice(0, MAX_TAGS)
}

function fromJson(reply: string): string[] | null {
  const candidates = [reply, between(reply, '[', ']'), between(reply, '{', '}')]
  for (const candidate of candidates) {
    const strings = stringsOf(parse(candidate))
    if (strings !== null) return strings
  }
  return null
}

const between = (text: string, open: string, close: string): string =>
  text.slice(Math.max(0, text.indexOf(open)), text.lastIndexOf(close) + 1)

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function stringsOf(value: unknown): string[] | null {
  if (Array.isArray(value)) return value.filter((part) => typeof part === 'string')
  if (value === null || typeof value !== 'object') return null
  return stringsOf(Object.values(value).find(Array.isArray) ?? null)
}

const fromText = (reply: string): string[] =>
  reply
    .replaceAll('```', '\n')
    .split(/[,;\n]/)
    .map((part) => part.replace(/^\s*(?:[-*•]|\d+[.)])\s*/, ''))
    .filter((part) => part.trim().split(/\s+/).length <= MAX_TAG_WORDS)

const clean = (tag: string): string =>
  tag
    .replace(/\p{Cc}+/gu, ' ')
    .replace(/^[\s"'`#.]+|[\s"'`.]+$/gu, '')
    .toLowerCase()
    .toWellFormed()
