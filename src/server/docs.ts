import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { cached } from '../../rest/answers.ts'
import { API_ROOT, type Document } from '../../rest/document.ts'
import { mountOpen } from '../../rest/mount.ts'
import { mountPage, type PageParts } from '../http/page.ts'

const PATH = '/docs'
/** Without the top bar, which offers to load other documents; the document's address is relative to the page's, so that both may lie under a proxy's path. */
const OPTIONS = {
  url: `.${API_ROOT}/openapi.json`,
  dom_id: '#swagger-ui',
  deepLinking: true,
  layout: 'BaseLayout',
  validatorUrl: null,
  persistAuthorization: false,
  displayRequestDuration: true,
}

/**
 * The contract at /api/v1/openapi.json and its documentation at /docs, served whole from this process: no CDN, no validator badge,
 * nothing called outside.
 */
export function mountDocs(app: FastifyInstance, document: Document, publicUrl: string | null): void {
  const body = Buffer.from(JSON.stringify(document))
  const served = { body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` }
  mountOpen(app, `${API_ROOT}/openapi.json`, (request) => cached(served, request))
  const page = mountPage(app, PATH, () => makePage(publicUrl))
  app.get(PATH, (_request, reply) => page.send(reply))
  app.get(`${PATH}/`, (_request, reply) => reply.redirect(`..${PATH}`))
}

async function makePage(publicUrl: string | null): Promise<PageParts> {
  // The package's own plugin serves them without compression, under names that stay the same.
  const read = (name: string) =>
    readFile(fileURLToPath(new URL(`static/${name}`, import.meta.resolve('@fastify/swagger-ui'))))
  const [script, style, layout] = await Promise.all(['swagger-ui-bundle.js', 'swagger-ui.css', 'index.css'].map(read))
  const start = `SwaggerUIBundle({ ...${JSON.stringify(OPTIONS)}, presets: [SwaggerUIBundle.presets.apis] })`
  return {
    files: {
      'swagger-ui.js': script ?? '',
      'swagger-ui.css': Buffer.concat([style ?? Buffer.of(), layout ?? Buffer.of()]),
      'start.js': start,
    },
    html: (link) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Sonant API</title>
<link rel="icon" href="favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${link('swagger-ui.css')}">
</head>
<body>
<div id="swagger-ui"></div>
<script src="${link('swagger-ui.js')}"></script>
<script src="${link('start.js')}"></script>
</body>
</html>
`,
    policy: contentSecurityPolicy(publicUrl),
  }
}

/** Requests tried out on the page go to the public address, which need not be the page's own. */
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
