import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FastifyInstance, fastify } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildConsole } from '../../../packaging/build-console.ts'
import { mountConsole } from '../../../src/server/console/mount-console.ts'

const HTML = { accept: 'text/html,*/*;q=0.8' }
const MAX_FIRST_LOAD_BYTES = 60 * 1024
const MAX_LAZY_BYTES = 30 * 1024
const MAX_FONT_BYTES = 30 * 1024

let folder: string
let app: FastifyInstance

/** The console of this checkout, built for this test. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sonant-console-'))
  expect(await buildConsole(folder, false)).toBe(true)
  app = await serve('https://voice.example.org', folder)
})
afterAll(async () => {
  await app.close()
  await rm(folder, { recursive: true, force: true })
})

const serve = async (publicUrl: string, built: string, bucketUrl: string | null = null): Promise<FastifyInstance> => {
  const server = fastify()
  server.setErrorHandler((error: { code?: string }, _request, reply) => reply.code(404).send({ code: error.code }))
  await mountConsole(server, { publicUrl: () => publicUrl, bucketUrl, folder: built })
  return server
}
const files = (): string[] => globSync('assets/*', { cwd: folder }).sort()
/** Small files are sent as they are. */
const sentBytes = (name: string): number => {
  const file = join(folder, name)
  return statSync(existsSync(`${file}.gz`) ? `${file}.gz` : file).size
}
/** The files that the page itself names: a first visit loads all of them. */
const named = (): string[] =>
  [...readFileSync(join(folder, 'index.html'), 'utf8').matchAll(/assets\/[^"]+/g)].map(([name]) => name)

describe('the page of the console', () => {
  test.each(['/console', '/console/jobs/job_1', '/console/enter'])(
    'is at %s, asked for anew each time',
    async (url) => {
      const reply = await app.inject({ url, headers: HTML })
      expect(reply).toMatchObject({ statusCode: 200, headers: { 'cache-control': 'no-cache' } })
      expect(reply.body).toContain('<script type="module"')
    },
  )

  test('has exactly this policy, is alone in its browsing context, and may use the microphone and no other device', async () => {
    const { headers } = await app.inject({ url: '/console', headers: HTML })
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; " +
        "media-src 'self' data: https://voice.example.org; connect-src 'self' https://voice.example.org; base-uri 'none'; form-action 'none'; " +
        "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    )
    expect(headers).toMatchObject({
      'cross-origin-opener-policy': 'same-origin',
      'permissions-policy': 'camera=(), geolocation=(), microphone=(self), payment=(), usb=()',
    })
  })

  test('lets sound come from the bucket, and names its files below the path that a proxy takes off', async () => {
    const behind = await serve('https://example.org/voice/', folder, 'https://audio.example.net/bucket')
    const { headers, body } = await behind.inject({ url: '/console', headers: HTML })
    expect(headers['content-security-policy']).toContain(
      "media-src 'self' data: https://example.org https://audio.example.net;",
    )
    const links = [...body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link)
    expect(links.filter((link) => !link?.startsWith('/voice/console/assets/'))).toEqual([])
    await behind.close()
  })

  test('is not there for what asks for something else than HTML', async () => {
    expect(await app.inject({ url: '/console', headers: { accept: 'application/json' } })).toMatchObject({
      statusCode: 404,
    })
  })

  test('says what to do where it was not built', async () => {
    const bare = await serve('http://127.0.0.1:4000', join(folder, 'none'))
    const reply = await bare.inject({ url: '/console/jobs', headers: HTML })
    expect([reply.statusCode, reply.body]).toEqual([200, expect.stringContaining('npm ci')])
    await bare.close()
  })
})

describe('the files of the console', () => {
  test('are kept for ever, and sent compressed', async () => {
    const name = named().find((file) => file.endsWith('.js'))
    const reply = await app.inject({ url: `/console/${name}`, headers: { 'accept-encoding': 'br' } })
    expect(reply.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-encoding': 'br',
      'content-type': expect.stringContaining('javascript'),
    })
  })

  test('load within 60 kB, and each lazy one within 30', () => {
    const first = named().filter((name) => /\.(js|css)$/.test(name))
    const lazy = files().filter((name) => /\.(js|css)$/.test(name) && !first.includes(name))
    expect(first.map(sentBytes).reduce((sum, size) => sum + size)).toBeLessThanOrEqual(MAX_FIRST_LOAD_BYTES)
    expect(lazy.filter((name) => sentBytes(name) > MAX_LAZY_BYTES)).toEqual([])
    const fonts = files().filter((name) => name.endsWith('.woff2'))
    expect([fonts.length, fonts]).toEqual([1, named().filter((name) => name.endsWith('.woff2'))])
    expect(sentBytes(fonts[0]!)).toBeLessThanOrEqual(MAX_FONT_BYTES)
    expect(readFileSync(join(folder, 'inter-license.txt'), 'utf8')).toContain('SIL OPEN FONT LICENSE')
    // Only developers of the console need this.
    expect(lazy.filter((name) => name.includes('design'))).toEqual([])
  })

  test('hold each question in the file of the screens that ask it, once', () => {
    const holding = (question: string) =>
      files().filter((name) => name.endsWith('.js') && readFileSync(join(folder, name), 'utf8').includes(question))
    expect([holding('query Session{'), holding('mutation CreateAccount('), holding('query Statistics(')]).toEqual([
      [expect.stringMatching(/^assets\/index-/)],
      [expect.stringMatching(/^assets\/operator-page-/)],
      [expect.stringMatching(/^assets\/statistics-page-/)],
    ])
  })

  test('name no other server', () => {
    // Namespaces of XML, links in messages of graphql-ws, and placeholders of fields and samples: nothing that is loaded.
    const known = /^(www\.w3\.org|www\.idpf\.org|ns\.adobe\.com|github\.com|(voice\.)?example\.com|127\.0\.0\.1)$/
    // Pages of help have links that a reader presses.
    const texts = files().filter((name) => /\.(js|css|svg)$/.test(name) && !name.startsWith('assets/pages-'))
    const hosts = texts.flatMap((name) =>
      [...readFileSync(join(folder, name), 'utf8').matchAll(/https?:\/\/([\w.-]+)/g)].map(([, host = '']) => host),
    )
    expect([...new Set(hosts)].filter((host) => !known.test(host))).toEqual([])
  })

  test('are built for use whatever NODE_ENV says: they name no file of the source', () => {
    expect(process.env.NODE_ENV).toBe('test')
    const scripts = files().filter((name) => name.endsWith('.js'))
    expect(scripts.filter((name) => readFileSync(join(folder, name), 'utf8').includes('.tsx'))).toEqual([])
  })

  test('hold no way to make markup or code out of a string', () => {
    const scripts = files().filter((name) => name.endsWith('.js'))
    const sinks = scripts.filter((name) =>
      /\beval\(|new Function\(|document\.write/.test(readFileSync(join(folder, name), 'utf8')),
    )
    expect(sinks).toEqual([])
  })
})
