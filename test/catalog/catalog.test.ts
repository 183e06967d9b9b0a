import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Door, endpointFile, startDoor } from '../setup/service/start-rest.ts'

let door: Door
beforeAll(async () => {
  door = await startDoor()
})
afterAll(() => door.close())

const PATH = '/api/v1/public/voice'
const get = (headers: Record<string, string> = {}, path = PATH, method = 'GET') =>
  fetch(door.url + path, { method, headers })

describe('catalog', () => {
  it('lists the published endpoints to every client, of every origin', async () => {
    const response = await get({ authorization: 'Bearer nonsense' })
    const body = (await response.json()) as { catalog_version: string; endpoints: { slug: string }[] }
    expect(response.status).toBe(200)
    expect(body.endpoints.map(({ slug }) => slug)).toEqual(['tts'])
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('cache-control')).toBe('no-cache')
    expect(response.headers.get('etag')).toMatch(/^"[^"]+"$/)
  })

  it.each([
    ['the same tag', (tag: string) => tag],
    ['a weak form of it', (tag: string) => `W/${tag}`],
    ['a list that holds it', (tag: string) => `"other", "a,b" , W/${tag}`],
    ['a star', () => '*'],
  ])('answers 304 to %s', async (_title, header) => {
    const tag = (await get()).headers.get('etag') ?? ''
    const response = await get({ 'if-none-match': header(tag) })
    expect(response.status).toBe(304)
    expect(response.headers.get('etag')).toBe(tag)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(await response.text()).toBe('')
  })

  it.each(['"other"', 'W/"other"', 'nonsense', '"*"', ''])('sends the catalog to the tag %s', async (header) => {
    expect((await get({ 'if-none-match': header })).status).toBe(200)
  })

  it('sends the very bytes that its tag names, whatever letters are in them', async () => {
    const lengths = []
    for (const name of ['Plain', 'Größe 你好 🎙']) {
      await door.apply(endpointFile('tts', { name }))
      const response = await get()
      const bytes = Buffer.from(await response.arrayBuffer())
      expect(JSON.parse(bytes.toString('utf8')).endpoints[0].name).toBe(name)
      expect(response.headers.get('content-length')).toBe(String(bytes.length))
      lengths.push(bytes.length)
    }
    expect(lengths[1]).toBe(lengths[0]! + Buffer.byteLength('Größe 你好 🎙') - 'Plain'.length)
  })

  it('answers HEAD like GET, without a body', async () => {
    const [head, full] = await Promise.all([get({}, PATH, 'HEAD'), get()])
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(await full.text())))
    expect(head.headers.get('etag')).toBe(full.headers.get('etag'))
    expect(await head.text()).toBe('')
  })

  it('answers a preflight', async () => {
    const response = await get({ origin: 'https://a.example', 'access-control-request-method': 'GET' }, PATH, 'OPTIONS')
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-methods')).toBe('GET, HEAD')
    expect(response.headers.get('access-control-allow-headers')).toContain('if-none-match')
  })

  it('does not change for an endpoint that is restricted or unpublished', async () => {
    const before = await get()
    await door.apply(endpointFile('hidden', { published: false }))
    await door.apply(endpointFile('secret', { required_scope: 'team:gold' }))
    const after = await get()
    expect(after.headers.get('etag')).toBe(before.headers.get('etag'))
    expect(await after.text()).toBe(await before.text())
  })
})

describe('catalogEndpoint', () => {
  it('is the entry of the catalog', async () => {
    const { endpoints } = (await (await get()).json()) as { endpoints: object[] }
    const response = await get({}, `${PATH}/tts`)
    expect(await response.json()).toEqual(endpoints[0])
    const again = await get({ 'if-none-match': response.headers.get('etag') ?? '' }, `${PATH}/tts`)
    expect(again.status).toBe(304)
  })

  it('answers 404, readable by every origin, for what it does not list', async () => {
    const response = await get({}, `${PATH}/nothing`)
    expect(response.status).toBe(404)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(await response.json()).toEqual({
      error: 'Not found: no such endpoint or resource.',
      error_code: 'NOT_FOUND',
    })
  })
})
