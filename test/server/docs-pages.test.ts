import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call } from '../setup/http.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'

const HTML = { accept: 'text/html' }
const DOCS = fileURLToPath(new URL('../../docs', import.meta.url))
const PAGES = readdirSync(DOCS)
  .filter((file) => file.endsWith('.md'))
  .map((file) => (file === 'README.md' ? '/docs' : `/docs/${file.replace('.md', '')}`))

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime()
})
afterAll(() => service?.close())

const read = async (path: string): Promise<string> => {
  const reply = await call(service.url + path, { headers: HTML })
  expect([path, reply.status]).toEqual([path, 200])
  return reply.text
}

/** Addresses of the links and pictures of a page. */
const linksOf = (html: string): string[] => [...html.matchAll(/\b(?:href|src)="([^"]+)"/g)].map(([, link = '']) => link)

describe('the pages of docs', () => {
  test.each(PAGES)('%s leads to every page, and no link or anchor of it is broken', async (path) => {
    const html = await read(path)
    const own = linksOf(html).filter((link) => !/^https?:/.test(link))
    const targets = own.map((link) => new URL(link, service.url + path))
    for (const { pathname, hash } of targets) {
      const target = await read(pathname === '/console' ? '/docs' : pathname)
      if (hash !== '') expect(target, hash).toContain(`id="${decodeURIComponent(hash.slice(1))}"`)
    }
    const reached = new Set(targets.map(({ pathname }) => pathname))
    expect(PAGES.filter((page) => !reached.has(page))).toEqual([])
    expect(html).not.toMatch(/href="[^":]+\.md/)
  })

  test('a page that is not there is 404', async () => {
    for (const path of ['/docs/none', '/docs/README', '/docs/decisions', '/docs/..%2fpackage'])
      expect((await call(service.url + path, { headers: HTML })).status, path).toBe(404)
  })

  test('the address that the reference for OpenAI clients had leads to it', async () => {
    const { status, headers } = await call(`${service.url}/docs?of=openai`, { headers: HTML })
    expect(status).toBe(302)
    expect(new URL(headers.location!, `${service.url}/docs`).href).toBe(`${service.url}/docs/reference?of=openai`)
  })

  test('pictures are shown by their type', async () => {
    const html = await read('/docs/architecture')
    const [, picture = ''] = /<img src="([^"]+)"/.exec(html) ?? []
    const { headers } = await call(new URL(picture, `${service.url}/docs/architecture`).href)
    expect(headers['content-type']).toBe('image/svg+xml')
  })
})
