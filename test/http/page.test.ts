import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, type Reply } from '../setup/http.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'

const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const COMPRESSED = { 'accept-encoding': 'gzip, deflate, br' }
const LINKS = /(?:src|href)="([^"]+)"/g
const PREFIX = '/voices'
const MAX_VISIT_BYTES = 3_000_000

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime({ env: { PUBLIC_URL: `https://example.com${PREFIX}` } })
})
afterAll(() => service?.close())

/** As a browser behind a proxy that takes the prefix off the path. */
const visit = (address: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Reply> => {
  const url = new URL(address, `https://example.com${PREFIX}/`)
  expect([url.origin, url.pathname.startsWith(`${PREFIX}/`)], address).toEqual(['https://example.com', true])
  return call(service.url + url.pathname.slice(PREFIX.length) + url.search, { method, headers })
}

const filesOf = async (path: string) => {
  const page = await visit(path, { ...HTML, ...COMPRESSED })
  const html = page.headers['content-encoding'] === 'br' ? brotliDecompressSync(page.bytes).toString() : page.text
  const address = `https://example.com${PREFIX}/${path}`
  const links = [...html.matchAll(LINKS)].map(([, link]) => new URL(link!, address).href)
  return { page, html, links: links.filter((link) => link.includes('/files/')) }
}

describe.each(['docs', 'docs/rest', 'docs/reference', 'graphql'])('the page %s', (path) => {
  test('comes compressed, in files that a browser keeps, and a second visit brings nothing again', async () => {
    const { page, links } = await filesOf(path)
    expect([page.status, page.headers['cache-control']]).toEqual([200, 'no-cache'])
    expect(links.length).toBeGreaterThan(0)
    let bytes = page.bytes.length
    for (const link of links) {
      const file = await visit(link, COMPRESSED)
      bytes += file.bytes.length
      expect(file.headers, link).toMatchObject({
        'content-encoding': 'br',
        'cache-control': 'public, max-age=31536000, immutable',
        etag: expect.stringMatching(/^"[^"]+"$/),
        vary: expect.stringContaining('accept-encoding'),
      })
      const again = await visit(link, { ...COMPRESSED, 'if-none-match': file.headers.etag! })
      expect([again.status, again.bytes.length, again.headers.etag]).toEqual([304, 0, file.headers.etag])
    }
    expect(bytes).toBeLessThan(MAX_VISIT_BYTES)
    const again = await visit(path, { ...HTML, ...COMPRESSED, 'if-none-match': page.headers.etag! })
    expect([again.status, again.bytes.length]).toEqual([304, 0])
  })

  test('is the same in every encoding, each with a tag of its own, and HEAD tells the same', async () => {
    const { links } = await filesOf(path)
    for (const [address, accept] of [[path, HTML], ...links.map((link) => [link, {}])] as [string, object][]) {
      const [plain, gzip, br] = await Promise.all(
        ['identity', 'gzip', 'br, gzip;q=0.5'].map((encoding) =>
          visit(address, { ...accept, 'accept-encoding': encoding }),
        ),
      )
      expect(gunzipSync(gzip!.bytes).equals(plain!.bytes) && brotliDecompressSync(br!.bytes).equals(plain!.bytes)).toBe(
        true,
      )
      expect(new Set([plain, gzip, br].map((reply) => reply!.headers.etag)).size).toBe(3)
      const head = await visit(address, { ...accept, 'accept-encoding': 'br' }, 'HEAD')
      const described = ({ headers }: Reply) =>
        Object.entries(headers).filter(([name]) => !/^(date|x-request-id|connection|keep-alive)$/.test(name))
      expect([head.status, head.bytes.length, described(head)]).toEqual([200, 0, described(br!)])
    }
  })

  test('loads nothing from elsewhere, and may not', async () => {
    const { page, html } = await filesOf(path)
    expect(page.headers['content-security-policy']).toMatch(/^default-src '(none|self)'/)
    expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'")
    expect([...html.matchAll(LINKS)].filter(([, link]) => /^(https?:)?\/\//.test(link!))).toEqual([])
    expect(html).not.toMatch(/<script>|<style/)
    expect((await visit(`${path}/files/none.js`)).status).toBe(404)
  })
})

describe('/', () => {
  test('sends a browser to the console, below the path of PUBLIC_URL', async () => {
    const page = await visit('./', HTML)
    expect([page.status, page.headers.location, page.headers.vary]).toEqual([302, `${PREFIX}/console`, 'accept'])
    expect((await visit(page.headers.location!, HTML)).headers['content-type']).toBe('text/html; charset=utf-8')
  })

  test('is not there for anything but a browser', async () => {
    for (const [method, accept] of [
      ['GET', '*/*'],
      ['GET', 'application/json'],
      ['POST', 'text/html'],
    ] as const) {
      const [home, nothing] = await Promise.all(
        ['/', '/nothing'].map((path) => call(service.url + path, { method, headers: { accept } })),
      )
      expect([home!.status, home!.json()]).toEqual([404, nothing!.json()])
    }
  })

  test.each(['/favicon.ico', '/favicon.svg'])('%s is its icon', async (path) => {
    const icon = await call(service.url + path)
    expect([icon.status, icon.headers['content-type']]).toEqual([200, 'image/svg+xml'])
    expect(icon.text).toMatch(/^<svg /)
  })
})
