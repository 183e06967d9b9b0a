import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { cached } from '../../rest/answers.ts'
import { API_ROOT, type Document } from '../../rest/document.ts'
import { mountOpen } from '../../rest/mount.ts'
import { mountPage, type PageParts } from '../http/served-file.ts'
import { OPENAI_ROOT } from '../openai/mount-openai.ts'
import { mountDocsPages } from './docs-pages.ts'

const PATH = '/docs/reference'
const OPENAI_DOCUMENT = new URL('../openai/openapi.json', import.meta.url)
const [REST_URL, OPENAI_URL] = [`..${API_ROOT}/openapi.json`, `..${OPENAI_ROOT}/openapi.json`]
const OPENAI_PAGE = '?of=openai'
const NAVIGATION_STYLE =
  'nav{padding:12px 20px;font-family:sans-serif}.dark-mode body{background:#1c2022}.dark-mode nav,.dark-mode nav a{color:#b4b8ff}'
const OPTIONS = {
  dom_id: '#swagger-ui',
  deepLinking: true,
  layout: 'BaseLayout',
  validatorUrl: null,
  persistAuthorization: false,
  displayRequestDuration: true,
}

export async function mountDocs(app: FastifyInstance, document: Document, publicUrl: string | null): Promise<void> {
  mountDocument(app, API_ROOT, document, publicUrl)
  mountDocument(app, OPENAI_ROOT, JSON.parse(await readFile(OPENAI_DOCUMENT, 'utf8')) as Document, publicUrl)
  const page = mountPage(app, PATH, () => makePage(publicUrl))
  app.get(PATH, (_request, reply) => page.send(reply))
  mountDocsPages(app)
}

function mountDocument(app: FastifyInstance, root: string, document: Document, publicUrl: string | null): void {
  let served: { readonly address: string; readonly body: Buffer; readonly etag: string } | undefined
  const servedAt = (address: string) => {
    if (served?.address === address) return served
    const body = Buffer.from(JSON.stringify({ ...document, servers: [{ url: `${address}${root}` }] }))
    served = { address, body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` }
    return served
  }
  mountOpen(app, `${root}/openapi.json`, (request) =>
    cached(servedAt(publicUrl ?? `${request.protocol}://${request.host}`), request),
  )
}

async function makePage(publicUrl: string | null): Promise<PageParts> {
  const read = (name: string) =>
    readFile(fileURLToPath(new URL(`static/${name}`, import.meta.resolve('@fastify/swagger-ui'))))
  const [script, style, layout] = await Promise.all(['swagger-ui-bundle.js', 'swagger-ui.css', 'index.css'].map(read))
  const start = `document.documentElement.classList.toggle('dark-mode', matchMedia('(prefers-color-scheme: dark)').matches)
const url = location.search === '${OPENAI_PAGE}' ? '${OPENAI_URL}' : '${REST_URL}'
SwaggerUIBundle({ url, ...${JSON.stringify(OPTIONS)}, presets: [SwaggerUIBundle.presets.apis] })`
  return {
    files: {
      'swagger-ui.js': script ?? '',
      'swagger-ui.css': Buffer.concat([style ?? Buffer.of(), layout ?? Buffer.of(), Buffer.from(NAVIGATION_STYLE)]),
      'start.js': start,
    },
    html: (link) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sonant API</title>
<link rel="icon" href="../favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${link('swagger-ui.css')}">
</head>
<body>
<nav><a href="../docs">Documentation</a> · <a href="reference">REST</a> · <a href="reference${OPENAI_PAGE}">OpenAI clients</a></nav>
<div id="swagger-ui"></div>
<script src="${link('swagger-ui.js')}"></script>
<script src="${link('start.js')}"></script>
</body>
</html>
`,
    policy: contentSecurityPolicy(publicUrl),
  }
}

function contentSecurityPolicy(publicUrl: string | null): string {
  const api = publicUrl === null ? '' : ` ${new URL(publicUrl).origin}`
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self'${api}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
