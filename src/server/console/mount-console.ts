import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '../../errors/service-error.ts'
import { prefersHtml } from '../../graphql/http/accept.ts'
import { prefixOf } from '../../http/prefix-of.ts'
import { ServedFile, sendFile } from '../../http/served-file.ts'
import { commandLine } from '../../values/command-line.ts'
import { consoleHeaders } from './console-headers.ts'
import { NOT_BUILT } from './not-built.ts'

const PATH = '/console'
const ASSETS = `${PATH}/assets/`
/** Where the installation builds it. */
const BUILT = fileURLToPath(new URL('../../generated/console/', import.meta.url))

interface ConsoleOptions {
  /** The address that browsers use; its path is put in front of every address of the page. */
  readonly publicUrl: () => string
  /** Where signed URLs of a bucket lead; null: audio comes from this service. */
  readonly bucketUrl: string | null
  /** The built files, where another than the installation's. */
  readonly folder?: string
}

/**
 * The web console: one page for every address under /console, as the browser tells its screens apart, and its files. What does not
 * ask for HTML finds nothing there. The files' names change with their content; the page is asked for anew each time.
 */
export async function mountConsole(app: FastifyInstance, options: ConsoleOptions): Promise<void> {
  const folder = options.folder ?? BUILT
  const isBuilt = existsSync(join(folder, 'index.html'))
  const pageFor = isBuilt ? pagesOf(folder) : async () => NOT_BUILT
  const send = async (request: FastifyRequest, reply: FastifyReply) => {
    reply.header('vary', 'accept')
    if (!prefersHtml(request.headers.accept)) throw notFound()
    reply.headers(consoleHeaders(options.publicUrl(), options.bucketUrl))
    return sendFile(reply, await pageFor(prefixOf(options.publicUrl())), 'no-cache')
  }
  for (const url of [PATH, `${PATH}/*`]) app.get(url, { config: { browsersOnly: true } }, send)
  if (!isBuilt) return
  await app.register(fastifyStatic, {
    root: join(folder, 'assets'),
    prefix: ASSETS,
    index: false,
    decorateReply: false,
    preCompressed: true,
    immutable: true,
    maxAge: '365d',
  })
}

/** The page of each prefix, made for its first reader. Only its own tags name files: scripts find the others from their own address. */
function pagesOf(folder: string): (prefix: string) => Promise<ServedFile> {
  const pages = new Map<string, Promise<ServedFile>>()
  const make = async (prefix: string): Promise<ServedFile> => {
    const html = await readFile(join(folder, 'index.html'), 'utf8')
    const link = `${prefix}${ASSETS}`.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
    return new ServedFile(
      'text/html; charset=utf-8',
      html
        .replaceAll('"./assets/', () => `"${link}`)
        .replace('content="npx sonant"', `content="${commandLine('').trim()}"`),
    )
  }
  return (prefix) => {
    const page = pages.get(prefix) ?? make(prefix)
    pages.set(prefix, page)
    return page
  }
}
