import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply } from 'fastify'
import { preferredEncoding } from './accept-encoding.ts'
import { namesETag } from './if-none-match.ts'

const ENCODINGS = ['br', 'gzip'] as const
type Encoding = (typeof ENCODINGS)[number]

const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }
const COMPRESS: Record<Encoding, (content: Buffer) => Promise<Buffer>> = {
  br: (content) => promisify(brotliCompress)(content, BROTLI),
  gzip: (content) => promisify(gzip)(content),
}

/** Immutable content, compressed once for the first caller that accepts it. */
export class ServedFile {
  readonly type: string
  readonly hash: string
  readonly #content: Buffer
  readonly #compressed = new Map<Encoding, Promise<Buffer>>()

  constructor(type: string, content: string | Buffer) {
    this.type = type
    this.#content = Buffer.from(content)
    this.hash = createHash('sha256').update(this.#content).digest('base64url').slice(0, 22)
  }

  async encoded(encoding: Encoding | 'identity'): Promise<Buffer> {
    if (encoding === 'identity') return this.#content
    const compressed = this.#compressed.get(encoding) ?? COMPRESS[encoding](this.#content)
    this.#compressed.set(encoding, compressed)
    return compressed
  }
}

/** Answers GET and HEAD; 304 if the caller's ETag matches. */
export async function sendFile(reply: FastifyReply, file: ServedFile, cacheControl: string): Promise<FastifyReply> {
  const { headers } = reply.request
  const encoding = preferredEncoding(headers['accept-encoding'] as string | undefined, ENCODINGS)
  const etag = `"${file.hash}-${encoding}"`
  reply.headers({ etag, 'cache-control': cacheControl }).header('vary', 'accept, accept-encoding')
  if (namesETag(headers['if-none-match'], etag)) return reply.code(304).send()
  if (encoding !== 'identity') reply.header('content-encoding', encoding)
  return reply.type(file.type).send(await file.encoded(encoding))
}
