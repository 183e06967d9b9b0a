import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../db/database.ts'
import { audioGone, notFound, ServiceError } from '../errors/service-error.ts'
import { OPEN_MEDIA } from '../http/cors.ts'
import { SAFETY_HEADERS } from '../http/safety-headers.ts'
import { type MediaGrant, verifyMediaPath } from '../storage/sign-url.ts'
import type { ByteRange, Storage } from '../storage/storage.ts'
import type { Log } from '../values/log.ts'
import { isForOther, isFresh, isSameContent, rejectPrecondition, type Validators } from './preconditions.ts'

const BYTE_RANGE = /^bytes=([0-9]*)-([0-9]*)$/i

interface MediaDeps {
  readonly db: Pick<Database, 'prisma'>
  readonly storage: Storage
  readonly signingKey: Uint8Array
  now(): Date
  readonly log: Log
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
  const grant = verifyMediaPath(deps.signingKey, request.raw.url ?? '', deps.now())
  if (grant === null)
    throw new ServiceError('FORBIDDEN', 'This URL is invalid or has expired: read the job again for a new one.')
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
