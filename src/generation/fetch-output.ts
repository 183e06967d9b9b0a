import type { LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import { Duplex, pipeline, Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw, createZstdDecompress } from 'node:zlib'
import { Agent, request } from 'undici'
import { checkWebhookUrl } from '../egress/check-webhook-url.ts'
import type { Cidr } from '../egress/ip-ranges.ts'
import { isReachable } from '../egress/judge-host.ts'
import type { Resolver } from '../egress/resolver.ts'
import { systemLookup } from '../egress/system-lookup.ts'
import { EngineError, FailedAttempt } from '../engines/engine.ts'
import { isAway, isBusy, parseRetryAfter } from '../engines/server-failure.ts'

const ZLIB_METHOD = 8
const MAX_FILE_BYTES = 512 * 1024 * 1024

/** No type with scripts, which would act in the name of the service's origin. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/png': '.png',
  'image/jpeg': '.jpg',
  'image/webp': '.webp',
  'image/gif': '.gif',
  'image/avif': '.avif',
  'audio/wav': '.wav',
  'audio/x-wav': '.wav',
  'audio/mpeg': '.mp3',
  'audio/ogg': '.ogg',
  'audio/flac': '.flac',
  'audio/mp4': '.m4a',
  'video/mp4': '.mp4',
  'video/webm': '.webm',
  'video/quicktime': '.mov',
  'text/plain': '.txt',
  'text/csv': '.csv',
  'application/json': '.json',
  'application/zip': '.zip',
  'model/gltf-binary': '.glb',
}
const ANYTHING_ELSE = 'application/octet-stream'

export interface OutputAccess {
  /** Files on this origin may be fetched, whatever its address. */
  readonly baseUrl: string
  readonly egressAllow: readonly Cidr[]
  /** A name server that hangs must not block libuv's threads. */
  readonly resolver: Resolver
  readonly signal: AbortSignal
}

/**
 * The rules of webhook URLs hold, except on the engine's origin; redirects fail.
 * @throws EngineError PROVIDER_BUSY, PROVIDER_UNAVAILABLE (FailedAttempt if a retry is of little use), RENDER_FAILED; the stream fails beyond 512 MiB
 */
export async function fetchOutput(
  url: string,
  source: OutputAccess,
): Promise<{ content: Readable; contentType: string }> {
  const isOwn = URL.canParse(url) && new URL(url).origin === new URL(source.baseUrl).origin
  if (!isOwn && checkWebhookUrl(url, source.egressAllow) !== null) {
    throw new EngineError('RENDER_FAILED', 'an output lies at an address that is not fetched from')
  }
  const agent = new Agent({ connect: { lookup: isOwn ? systemLookup() : guardedLookup(source) } })
  try {
    const { statusCode, headers, body } = await request(url, {
      dispatcher: agent,
      signal: source.signal,
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    body.on('error', () => undefined)
    if (statusCode !== 200) throw failureOf(statusCode, [headers['retry-after']].flat()[0])
    const type = headers['content-type']
    const content = Readable.from(capped(decoded(body, [headers['content-encoding']].flat().join(','))))
    content.once('close', () => void agent.destroy())
    return { content, contentType: safeContentType(typeof type === 'string' ? type : '') }
  } catch (error) {
    await agent.destroy()
    source.signal.throwIfAborted()
    if (error instanceof EngineError) throw error
    if (error instanceof RejectedAddress) throw new FailedAttempt('an output could not be fetched', { cause: error })
    throw new EngineError('PROVIDER_UNAVAILABLE', 'an output could not be fetched', { cause: error })
  }
}

function failureOf(status: number, retryAfter: string | undefined): EngineError {
  const message = `an output was answered with ${status}`
  const retryAfterMs = parseRetryAfter(retryAfter)
  const options = retryAfterMs === undefined ? {} : { retryAfterMs }
  if (isBusy(status, '')) return new EngineError('PROVIDER_BUSY', message, options)
  return isAway(status) ? new EngineError('PROVIDER_UNAVAILABLE', message, options) : new FailedAttempt(message)
}

/** @throws FailedAttempt for an unknown encoding */
function decoded(body: Readable, encodings: string): Readable {
  const names = encodings
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity')
  const decoders = names.reverse().map((name) => DECODERS[name]?.())
  if (decoders.includes(undefined)) throw new FailedAttempt('an output has an encoding that is not read')
  return decoders.reduce<Readable>((source, decoder) => pipeline(source, decoder as Duplex, () => undefined), body)
}

const DECODERS: Readonly<Record<string, () => Duplex>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  // Servers send zlib and raw deflate under this name.
  deflate: () => Duplex.from(inflated),
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
}

/** The lower half of a zlib header's first byte says deflate. */
async function* inflated(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const chunks = source[Symbol.asyncIterator]()
  const first = await chunks.next()
  if (first.done === true) return
  const all = async function* () {
    yield first.value
    yield* { [Symbol.asyncIterator]: () => chunks }
  }
  const decoder = (first.value[0] ?? 0) % 16 === ZLIB_METHOD ? createInflate() : createInflateRaw()
  yield* pipeline(Readable.from(all()), decoder, () => undefined)
}

async function* capped(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let length = 0
  try {
    for await (const chunk of body) {
      length += chunk.length
      if (length > MAX_FILE_BYTES) throw new EngineError('RENDER_FAILED', 'an output is too long')
      yield chunk
    }
  } catch (error) {
    if (error instanceof EngineError) throw error
    throw new EngineError('PROVIDER_UNAVAILABLE', 'an output broke off', { cause: error })
  }
}

class RejectedAddress extends Error {}

type LookupCallback = (error: Error | null, addresses: LookupAddress[]) => void

/** Judges addresses inside the connection's own look-up, so DNS cannot change between. One forbidden address rejects all. */
const guardedLookup =
  ({ resolver, egressAllow }: OutputAccess) =>
  (name: string, _options: unknown, done: LookupCallback): void => {
    const judge = (addresses: readonly string[]): void => {
      const isGood = addresses.every((address) => isReachable(address, egressAllow))
      const rejected = new RejectedAddress('the name resolves to a private or reserved address')
      const judged = addresses.map((address) => ({ address, family: isIP(address) }))
      done(isGood ? null : rejected, isGood ? judged : [])
    }
    resolver.resolve(name).then(judge, (error: Error) => done(error, []))
  }

export function safeContentType(type: string): string {
  const essence = type.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return Object.hasOwn(EXTENSIONS, essence) ? essence : ANYTHING_ELSE
}

export const extensionOf = (contentType: string): string => EXTENSIONS[contentType] ?? '.bin'
