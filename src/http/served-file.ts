import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { notFound } from '../errors/service-error.ts'

const ENCODINGS = ['br', 'gzip'] as const
type Encoding = (typeof ENCODINGS)[number]

const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }
const COMPRESS: Record<Encoding, (content: Buffer) => Promise<Buffer>> = {
  br: (content) => promisify(brotliCompress)(content, BROTLI),
  gzip: (content) => promisify(gzip)(content),
}

const ENTITY_TAG = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g
const FOR_EVER = 'public, max-age=31536000, immutable'
const REVALIDATED = 'no-cache'

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
}

export interface PageParts {
  readonly files: Readonly<Record<string, string | Buffer>>
  readonly html: (link: (name: string) => string) => string
  /** More pages, `<folder>/<name>`. */
  readonly inside?: Readonly<Record<string, (link: (name: string) => string) => string>>
  readonly policy: string
}

export interface Page {
  /** @param inside the name of a page inside; absent: the first page. @throws NOT_FOUND */
  send(reply: FastifyReply, inside?: string): Promise<FastifyReply>
}

interface Made {
  readonly html: ServedFile
  readonly inside: ReadonlyMap<string, ServedFile>
  readonly policy: string
  readonly files: ReadonlyMap<string, ServedFile>
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

/** The offered encoding that Accept-Encoding prefers (RFC 9110 section 12.5.3), or identity. `offered` lists the best first. */
export function preferredEncoding<Offered extends string>(
  header: string | undefined,
  offered: readonly Offered[],
): Offered | 'identity' {
  const weights = readWeights(header ?? '')
  let [best, most]: [Offered | 'identity', number] = ['identity', weights.get('identity') ?? 0]
  for (const encoding of offered) {
    const weight = weights.get(encoding) ?? weights.get(`x-${encoding}`) ?? weights.get('*') ?? 0
    if (weight > most || (weight > 0 && weight === most && best === 'identity')) [best, most] = [encoding, weight]
  }
  return best
}

function readWeights(header: string): Map<string, number> {
  const weights = new Map<string, number>()
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
    weights.set(name, weight === undefined ? 1 : Number(weight))
  }
  return weights
}

/** If-None-Match (RFC 9110 section 13.1.2): weak comparison. `etag` is strong and has its quotes. */
export function namesETag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  if (header === etag || header.trim() === '*') return true
  for (const [, opaque] of header.matchAll(ENTITY_TAG)) if (opaque === etag) return true
  return false
}

/** If-Match (RFC 9110 section 13.1.1): strong comparison. */
export function matchesETag(header: string, etag: string): boolean {
  return header.trim() === '*' || [...header.matchAll(ENTITY_TAG)].some(([tag]) => tag === etag)
}

export const prefixOf = (publicUrl: string): string => new URL(publicUrl).pathname.replace(/\/$/, '')

/** Mounts `<folder>/files/<name>` and builds the page on first use; its files may come from another process. */
export function mountPage(app: FastifyInstance, folder: string, make: () => Promise<PageParts>): Page {
  let made: Promise<Made> | undefined
  const open = (): Promise<Made> => {
    made ??= make()
      .then((parts) => assemble(folder, parts))
      .catch((error) => {
        made = undefined
        throw error
      })
    return made
  }
  app.get<{ Params: { name: string } }>(`${folder}/files/:name`, async ({ params }, reply) => {
    const file = (await open()).files.get(params.name)
    if (file === undefined) throw notFound()
    return sendFile(reply, file, FOR_EVER)
  })
  return {
    send: async (reply, inside) => {
      const { html, inside: others, policy } = await open()
      const page = inside === undefined ? html : others.get(inside)
      if (page === undefined) throw notFound()
      return sendFile(reply.header('content-security-policy', policy), page, REVALIDATED)
    },
  }
}

function assemble(folder: string, { files, html, inside = {}, policy }: PageParts): Made {
  const served = new Map<string, ServedFile>()
  const links = new Map<string, string>()
  for (const [name, content] of Object.entries(files)) {
    const [stem = '', extension = ''] = name.split(/\.(?=\w+$)/)
    const file = new ServedFile(TYPES[extension] ?? 'application/octet-stream', content)
    const named = `${stem}.${file.hash}.${extension}`
    served.set(named, file)
    links.set(name, `files/${named}`)
  }
  const link = (name: string): string => links.get(name) ?? name
  const outside = (name: string): string => `${folder.slice(folder.lastIndexOf('/') + 1)}/${link(name)}`
  const pages = Object.entries(inside).map(([name, make]) => [name, asHtml(make(link))] as const)
  return { html: asHtml(html(outside)), inside: new Map(pages), policy, files: served }
}

const asHtml = (text: string): ServedFile => new ServedFile('text/html; charset=utf-8', text)
