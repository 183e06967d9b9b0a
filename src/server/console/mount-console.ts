import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '../../errors/service-error.ts'
import { prefersHtml } from '../../graphql/http/accept.ts'
import { prefixOf, ServedFile, sendFile } from '../../http/served-file.ts'
import { commandLine } from '../../values/program.ts'

const PATH = '/console'
const ASSETS = `${PATH}/assets/`
const BUILT = fileURLToPath(new URL('../../generated/console/', import.meta.url))

const NOT_BUILT = new ServedFile(
  'text/html; charset=utf-8',
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>The console is not built - Sonant</title>
</head>
<body>
<h1>The console is not built</h1>
<p>This installation lacks the development packages that build it. The service itself runs: only these pages are missing.</p>
<p>In the folder of the checkout run <code>npm ci</code> without <code>--omit=dev</code>, then start the service again.
To keep the installation small, run <code>npm prune --omit=dev</code> afterwards: what was built stays.</p>
<p>The package that <code>npm pack</code> makes holds the built console.</p>
</body>
</html>
`,
)

interface ConsoleOptions {
  readonly publicUrl: () => string
  /** Base of signed bucket URLs; null if this service serves audio. */
  readonly bucketUrl: string | null
  readonly folder?: string
}

/**
 * Serves one HTML page for every address under /console, and its immutable assets.
 * Clients that do not prefer HTML get 404.
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

function consoleHeaders(publicUrl: string, bucketUrl: string | null): Readonly<Record<string, string>> {
  const media = [publicUrl, bucketUrl].flatMap((url) => (url === null ? [] : [new URL(url).origin])).join(' ')
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self' data:",
    `media-src 'self' data: ${media}`,
    `connect-src 'self' ${media}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ]
  return {
    'content-security-policy': policy.join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(self), payment=(), usb=()',
  }
}
