import type { FastifyInstance } from 'fastify'
import { notFound } from '../errors/service-error.ts'
import { prefersHtml } from '../graphql/http/accept.ts'
import { prefixOf, ServedFile, sendFile } from '../http/served-file.ts'

const A_DAY = 'public, max-age=86400'
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#5b54e0"/><g stroke="#fff" stroke-width="3" stroke-linecap="round"><path d="M6.500 14v4M11.250 10v12M16 6.500v19M20.750 11v10M25.500 14.500v3"/></g></svg>
`

export function mountHome(app: FastifyInstance, publicUrl: () => string): void {
  app.get('/', { config: { browsersOnly: true } }, async (request, reply) => {
    reply.header('vary', 'accept')
    if (!prefersHtml(request.headers.accept)) throw notFound()
    const target = `${prefixOf(publicUrl())}/console`
    reply.code(302).header('location', target).header('cache-control', 'no-cache').type('text/html; charset=utf-8')
    return reply.send('<!doctype html><title>Sonant</title><p>The console is at /console.</p>\n')
  })
  const icon = new ServedFile('image/svg+xml', ICON)
  for (const path of ['/favicon.svg', '/favicon.ico']) app.get(path, (_request, reply) => sendFile(reply, icon, A_DAY))
}
