import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../db/database.ts'
import { audioGone, notFound, ServiceError } from '../errors/service-error.ts'
import { OPEN_MEDIA, SAFETY_HEADERS } from '../http/headers.ts'
import { matchesETag, namesETag } from '../http/served-file.ts'
import { type MediaGrant, verifyMediaPath } from '../storage/sign-url.ts'
import type { ByteRange, Storage } from '../storage/storage.ts'
import type { Log } from '../values/log.ts'

const BYTE_RANGE = /^bytes=([0-9]*)-([0-9]*)$/i

/** The three date formats of RFC 9110 section 5.6.7. */
const HTTP_DATE =
  /^[A-Z][a-z]{2,8},? ?(\d{2}[ -][A-Z][a-z]{2}[ -]\d{2,4} [\d:]{8} GMT|[A-Z][a-z]{2} [ \d]\d [\d:]{8} \d{4})$/

interface MediaDeps {
  readonly db: Pick<Database, 'prisma'>
  readonly storage: Storage
  readonly signingKey: Uint8Array
  now(): Date
  readonly log: Log
}

/** `etag` is a strong entity tag, quotes included. */
interface Validators {
  readonly etag: string
  readonly modified: Date
}

/** Serves artifacts of the disk storage under signed URLs: GET and HEAD `/media/*` (RFC 9110). Deleted ones of a bucket lead here too. */
export function mountMedia(app: FastifyInstance, deps: MediaDeps): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/media/*',
    handler: (request, reply) => sendMedia(deps, request, reply),
  })
}

async function sendMedia(deps: MediaDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  reply.headers(OPEN_MEDIA).headers(SAFETY_HEADERS)
  const grant = requireGrant(deps, request)
  const file = await deps.storage.stat(grant.key)
  if (file === null) throw await missing(deps, grant.key)
  const { bytes: size, modified } = file
  const validators = { etag: entityTag(grant.key, size), modified }
  if (isForOther(request.headers, validators)) return rejectPrecondition(reply)
  if (isFresh(request.headers, validators)) return validate(reply, deps, grant, validators).code(304).send()
  const range = wantedRange(request, validators, size, deps.now())
  if (range === 'unsatisfiable') return rejectRange(reply, size)
  if (request.method === 'HEAD')
    return describeMedia(validate(reply, deps, grant, validators), grant, size, null).send()
  const stream = await openStream(deps, grant.key, range ?? (size > 0 ? { start: 0, end: size - 1 } : undefined))
  return describeMedia(validate(reply, deps, grant, validators), grant, size, range).send(stream)
}

/** @throws FORBIDDEN if the signature is invalid or has expired */
export function requireGrant(
  { signingKey, now }: Pick<MediaDeps, 'signingKey' | 'now'>,
  { raw }: FastifyRequest,
): MediaGrant {
  const grant = verifyMediaPath(signingKey, raw.url ?? '', now())
  if (grant === null)
    throw new ServiceError('FORBIDDEN', 'This URL is invalid or has expired: read the job again for a new one.')
  return grant
}

async function missing({ db }: MediaDeps, key: string): Promise<ServiceError> {
  const known = await db.prisma.artifact.findUnique({ where: { storageKey: key }, select: { id: true } })
  return known === null ? notFound() : audioGone()
}

/** A strong tag: storage writes each key once. It reveals nothing about the signature. */
const entityTag = (key: string, size: number): string =>
  `"${createHash('sha256').update(`${key}\n${size}`).digest('base64url').slice(0, 22)}"`

function wantedRange(
  { method, headers }: FastifyRequest,
  validators: Validators,
  size: number,
  now: Date,
): ByteRange | 'unsatisfiable' | null {
  if (method !== 'GET' || headers.range === undefined) return null
  return isSameContent(headers['if-range'] as string | undefined, validators, now)
    ? parseRange(headers.range, size)
    : null
}

/** RFC 9110 section 14.2 allows the server to ignore malformed and multiple ranges. */
function parseRange(header: string, size: number): ByteRange | 'unsatisfiable' | null {
  const [, first = '', last = ''] = BYTE_RANGE.exec(header.trim()) ?? []
  if (first === '') return last === '' ? null : suffixRange(Number(last), size)
  if (last !== '' && Number(last) < Number(first)) return null
  if (Number(first) >= size) return 'unsatisfiable'
  return { start: Number(first), end: last === '' ? size - 1 : Math.min(Number(last), size - 1) }
}

function suffixRange(length: number, size: number): ByteRange | 'unsatisfiable' | null {
  if (length === 0) return 'unsatisfiable'
  return size === 0 ? null : { start: Math.max(0, size - length), end: size - 1 }
}

const rejectRange = (reply: FastifyReply, size: number): FastifyReply =>
  reply
    .code(416)
    .header('content-range', `bytes */${size}`)
    .header('accept-ranges', 'bytes')
    .send({ error: `Ask for a range within the ${size} bytes of the file.`, error_code: 'INVALID_REQUEST' })

async function openStream(deps: MediaDeps, key: string, range: ByteRange | undefined): Promise<Readable> {
  const { storage, log } = deps
  const stream = await storage.read(key, range).catch(async (error: unknown) => {
    throw (await storage.stat(key)) === null ? await missing(deps, key) : error
  })
  return stream.on('error', (error: NodeJS.ErrnoException) =>
    log.error({ err: error.code ?? error.name }, 'a stored artifact could not be read'),
  )
}

/** Callers apply it last: an error answer must not carry these headers. */
const validate = (
  reply: FastifyReply,
  deps: MediaDeps,
  { expires }: MediaGrant,
  { etag, modified }: Validators,
): FastifyReply =>
  reply.headers({
    etag,
    'last-modified': modified.toUTCString(),
    'cache-control': `private, max-age=${Math.floor(expires - deps.now().getTime() / 1000)}`,
  })

function describeMedia(reply: FastifyReply, grant: MediaGrant, size: number, range: ByteRange | null): FastifyReply {
  if (range) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${size}`)
  return reply.headers({
    'content-type': grant.contentType,
    'content-length': range ? range.end - range.start + 1 : size,
    // A file name here would override the `download` attribute of a page's link.
    'content-disposition': 'inline',
    'accept-ranges': 'bytes',
  })
}

/** If-Match takes precedence over If-Unmodified-Since (RFC 9110 section 13.2.2). */
function isForOther(headers: IncomingHttpHeaders, { etag, modified }: Validators): boolean {
  const { 'if-match': tags, 'if-unmodified-since': since } = headers
  if (tags !== undefined) return !matchesETag(tags, etag)
  return since !== undefined && toSeconds(modified) > parseHttpDate(since)
}

/** If-None-Match takes precedence over If-Modified-Since (RFC 9110 section 13.2.2). */
function isFresh(headers: IncomingHttpHeaders, { etag, modified }: Validators): boolean {
  const { 'if-none-match': tags, 'if-modified-since': since } = headers
  if (tags !== undefined) return namesETag(tags, etag)
  return since !== undefined && toSeconds(modified) <= parseHttpDate(since)
}

/** If-Range rejects weak tags and dates within the last second (RFC 9110 section 13.1.5). */
function isSameContent(ifRange: string | undefined, { etag, modified }: Validators, now: Date): boolean {
  if (ifRange === undefined || ifRange === etag) return true
  return parseHttpDate(ifRange) === toSeconds(modified) && toSeconds(now) > toSeconds(modified)
}

/** Unix seconds; NaN if it is no date. */
const parseHttpDate = (text: string): number =>
  HTTP_DATE.test(text) ? Date.parse(text.endsWith('GMT') ? text : `${text} GMT`) / 1000 : Number.NaN

const toSeconds = (time: Date): number => Math.floor(time.getTime() / 1000)

export const rejectPrecondition = (reply: FastifyReply): FastifyReply =>
  reply.code(412).send({
    error: 'The file is another one than If-Match or If-Unmodified-Since asks for: leave them out to read it.',
    error_code: 'INVALID_REQUEST',
  })
