import type { FastifyInstance, FastifyReply } from 'fastify'
import { API_ROOT } from '../../rest/document.ts'
import { notFound } from '../errors/service-error.ts'
import { prefersHtml } from '../graphql/http/accept.ts'
import { mountPage, type PageParts } from '../http/page.ts'
import { ServedFile, sendFile } from '../http/served-file.ts'
import { VERSION } from '../values/version.ts'

const A_DAY = 'public, max-age=86400'
const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Sound as bars, in a rounded square. */
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1f4fd8"/><g stroke="#fff" stroke-width="3" stroke-linecap="round"><path d="M7 14v4M12 10v12M17 6.5v19M22 11v10M27 14.500v3" transform="translate(-1 0)"/></g></svg>
`
const STYLE = `:root { color-scheme: light dark; font: 17px/1.5 system-ui, sans-serif; }
body { max-width: 40rem; margin: 12vh auto; padding: 0 1.5rem; }
h1 { display: flex; align-items: center; gap: .75rem; margin: 0; }
h1 img { width: 2.5rem; height: 2.5rem; }
ul { list-style: none; padding: 0; }
li { margin: 1rem 0; }
li a { display: block; font-weight: 600; }
footer { margin-top: 3rem; opacity: .7; font-size: .85rem; }
`

/**
 * `/` shows browsers what answers here; what does not ask for HTML finds nothing there, as before. The icon is at /favicon.svg, and where
 * browsers look for one by themselves.
 */
export function mountHome(app: FastifyInstance, publicUrl: () => string): void {
  const page = mountPage(app, '', async () => makePage(prefixOf(publicUrl())))
  app.get('/', { config: { browsersOnly: true } }, async (request, reply: FastifyReply) => {
    reply.header('vary', 'accept')
    if (!prefersHtml(request.headers.accept)) throw notFound()
    return page.send(reply)
  })
  const icon = new ServedFile('image/svg+xml', ICON)
  for (const path of ['/favicon.svg', '/favicon.ico']) app.get(path, (_request, reply) => sendFile(reply, icon, A_DAY))
}

/** What a proxy takes off the path before it asks this service; empty without one. */
const prefixOf = (publicUrl: string): string => new URL(publicUrl).pathname.replace(/\/$/, '')

function makePage(prefix: string): PageParts {
  return {
    files: { 'home.css': STYLE },
    html: (link) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sonant</title>
<link rel="icon" href="${prefix}/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${prefix}${link('home.css')}">
</head>
<body>
<h1><img src="${prefix}/favicon.svg" alt=""> Sonant</h1>
<p>A voice synthesis service: text in, speech out. Send it requests with an API key, over REST or GraphQL.</p>
<ul>
<li><a href="${prefix}/docs">API documentation</a> Every REST request, to try out.</li>
<li><a href="${prefix}/graphql">GraphiQL</a> Queries, mutations and subscriptions, with examples.</li>
<li><a href="${prefix}${API_ROOT}/public/voice">Catalog</a> The published voices and what they take, as JSON.</li>
<li><a href="${prefix}${API_ROOT}/openapi.json">OpenAPI document</a> The REST contract, for tools.</li>
</ul>
<footer>Version ${VERSION}</footer>
</body>
</html>
`,
    policy: POLICY,
  }
}
