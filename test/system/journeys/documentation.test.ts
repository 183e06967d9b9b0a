import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call } from '../../setup/http.ts'
import { cleanUp, type Service, startService } from '../../setup/processes/process.ts'

type OpenApi = { openapi: string; paths: Record<string, Record<string, { operationId?: string }>> }

const ROUTES = [
  'POST /voice/{}',
  'GET /voice/jobs/{}',
  'GET /voice/{}/voices',
  'GET /voice/{}/schema',
  'GET /public/voice',
  'GET /public/voice/{}',
]
// Elements and statements that make a browser load something by itself; a plain link to follow is no load.
const LOADS_IN_HTML =
  /<(?:script|link|img|iframe|source|object|embed)\b[^>]*?\b(?:src|href|data)=\s*["']?((?:https?:)?\/\/[^"'\s>]+)/gi
const LOADS_IN_CODE = /(?:@import\s+|\burl\(|\bimport\s*\(|\bimportScripts\()\s*["']?((?:https?:)?\/\/[^"')\s]+)/gi
const ASSETS = /<(?:script|link|img)\b[^>]*?\b(?:src|href)=\s*["']?([^"'\s>]+)/gi

const found = (pattern: RegExp, text: string): string[] => [...text.matchAll(pattern)].map((match) => match[1]!)

describe('the documentation that the service carries', () => {
  let service: Service

  /** A page by following redirects, with the address that it ended at. */
  const page = async (path: string, hops = 3): Promise<{ url: string; html: string }> => {
    const url = new URL(path, service.url).href
    const reply = await call(url, { headers: { accept: 'text/html' } })
    if (reply.headers.location && hops > 0) return page(new URL(reply.headers.location, url).href, hops - 1)
    expect([reply.status, reply.headers['content-type']]).toEqual([200, expect.stringMatching(/^text\/html/)])
    return { url, html: reply.text }
  }

  beforeAll(async () => {
    service = await startService()
  })
  afterAll(cleanUp)

  test('/api/v1/openapi.json is OpenAPI 3.1 and lists every voice and catalog route with an operationId', async () => {
    const reply = await call(`${service.url}/api/v1/openapi.json`)
    expect(reply.headers['content-type']).toMatch(/json/)
    const { openapi, paths } = reply.json<OpenApi>()
    expect(openapi).toMatch(/^3\.1\.\d+$/)
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, operation]) => operation.operationId)
        .map(([method]) => `${method.toUpperCase()} ${path.replace(/^\/api\/v1/, '').replace(/\{\w+\}/g, '{}')}`),
    )
    expect(operations).toEqual(expect.arrayContaining(ROUTES))
  })

  test.for(['/docs', '/docs/architecture', '/docs/reference', '/graphql'])(
    '%s loads nothing from another host',
    async (path) => {
      const { url, html } = await page(path)
      expect(found(LOADS_IN_HTML, html)).toEqual([])
      expect(found(LOADS_IN_CODE, html)).toEqual([])
      for (const asset of new Set(found(ASSETS, html))) {
        const reply = await call(new URL(asset, url).href)
        expect(reply.status, asset).toBe(200)
        const outside = [...found(LOADS_IN_HTML, reply.text), ...found(LOADS_IN_CODE, reply.text)]
        expect(outside, asset).toEqual([])
      }
    },
  )

  test('/docs/reference shows the document of this service', async () => {
    const { url, html } = await page('/docs/reference')
    const scripts = found(ASSETS, html).filter((one) => one.includes('.js'))
    const sources = await Promise.all(scripts.map(async (one) => (await call(new URL(one, url).href)).text))
    const shown = sources.some((text) => text.includes('/api/v1/openapi.json'))
    expect(shown).toBe(true)
  })
})
