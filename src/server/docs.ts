import { createHash } from 'node:crypto'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { API_ROOT, type Document } from '../../rest/document.ts'
import { cached } from '../../rest/operations.ts'
import { mountOpen } from '../../rest/plugin.ts'

/**
 * The contract at /api/v1/openapi.json and its documentation at /docs, served whole from this process: no CDN, no validator badge,
 * nothing called outside (contract.md section 4).
 */
export async function mountDocs(app: FastifyInstance, document: Document, publicUrl: string | null): Promise<void> {
  const body = Buffer.from(JSON.stringify(document))
  const served = { body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` }
  mountOpen(app, `${API_ROOT}/openapi.json`, (request) => cached(served, request.headers))
  // Static mode neither walks the routes nor parses YAML.
  await app.register(swagger, { mode: 'static', specification: { document: document as never } })
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: contentSecurityPolicy(publicUrl),
    // Without the top bar, which offers to load other documents.
    uiConfig: { layout: 'BaseLayout', validatorUrl: null, persistAuthorization: false, displayRequestDuration: true },
    theme: { title: 'Sonant API' },
  })
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
