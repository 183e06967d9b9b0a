import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { parseTags } from '../../src/companion/tag-media.ts'
import { chatAnswer, verdict } from '../setup/servers/provider-server.ts'
import { type Producers, startProducers } from '../setup/service/producers.ts'

const CHAT = '/v1/chat/completions'
const IMAGE = { media_url: 'https://example.com/harbour.jpg', media_kind: 'image' }

interface Tagged {
  job_id: string
  tags: string[]
  error_code: string
  details: { path: string }[]
}

let service: Producers
let key: string
beforeAll(async () => {
  service = await startProducers(({ url }) => ({ COMPANION_BASE_URL: url, MODERATION_BASE_URL: url }))
  key = await service.newKey()
})
afterAll(() => service.close())
beforeEach(() => {
  service.provider.reset()
  service.provider.script(CHAT, chatAnswer('["harbour", "ships"]'))
})

const tag = (body: unknown, bearer = key) => service.send<Tagged>('/companion/media-tag', bearer, body)

describe('tagMedia', () => {
  it('shows an image to moderation and to the model, and answers with its tags', async () => {
    const { status, body } = await tag(IMAGE)
    expect([status, body]).toEqual([
      200,
      {
        job_id: expect.stringMatching(/^job_/),
        status: 'completed',
        is_prohibited: false,
        ...IMAGE,
        tags: ['harbour', 'ships'],
      },
    ])
    const image = { type: 'image_url', image_url: { url: IMAGE.media_url } }
    const asked = service.provider.of(CHAT)[0]?.body as { messages: { content: unknown[] }[] }
    expect(asked.messages[0]?.content).toContainEqual(image)
    const judged = service.provider.of('/v1/moderations').map(({ body }) => (body as { input: unknown }).input)
    expect(judged).toEqual([[{ type: 'text', text: IMAGE.media_url }, image], 'harbour, ships'])
    expect(await service.job(body.job_id)).toMatchObject({
      type: 'companion_media_tag',
      endpoint_key: 'media.companion_tag',
      status: 'completed',
      is_prohibited: false,
      ...IMAGE,
    })
  })

  it.each(['video', 'audio'])('names the address of a %s to the model', async (media_kind) => {
    const media_url = 'http://media.example.com:8080/a.bin?x=1'
    expect((await tag({ media_url, media_kind })).body).toMatchObject({ media_kind, tags: ['harbour', 'ships'] })
    expect(JSON.stringify(service.provider.of(CHAT)[0]?.body)).toContain(media_url)
  })

  it('answers a rejected medium, and rejected tags, without tags', async () => {
    service.provider.script('/v1/moderations', verdict(true))
    const medium = await tag(IMAGE)
    expect(medium.body).toMatchObject({ status: 'completed', is_prohibited: true, tags: [] })
    expect(service.provider.of(CHAT)).toEqual([])
    expect((await service.job(medium.body.job_id)).reason).toBe('The medium was flagged.')

    service.provider.script('/v1/moderations', ({ body }) =>
      verdict(typeof (body as { input: unknown }).input === 'string', { hate: true }),
    )
    const tags = await tag(IMAGE)
    expect(tags.body).toMatchObject({ is_prohibited: true, tags: [] })
    expect((await service.job(tags.body.job_id)).reason).toBe('One of the tags was flagged for hate.')
  })

  it('fails with 502 when the model fails', async () => {
    service.provider.script(CHAT, { status: 404 })
    const { status, body } = await tag(IMAGE)
    expect([status, body]).toMatchObject([502, { status: 'failed', error_code: 'RENDER_FAILED' }])
    expect(await service.job(body.job_id)).toMatchObject({ status: 'failed', media_url: IMAGE.media_url })
  })

  it.each<[string, string, unknown]>([
    ['a loopback address', '/media_url', { ...IMAGE, media_url: 'http://127.0.0.1/a.jpg' }],
    ['a metadata address', '/media_url', { ...IMAGE, media_url: 'http://169.254.169.254/latest' }],
    ['a private IPv6 address', '/media_url', { ...IMAGE, media_url: 'https://[fd00::1]/a.jpg' }],
    ['another port below 1024', '/media_url', { ...IMAGE, media_url: 'http://example.com:81/a.jpg' }],
    ['https at the port of http', '/media_url', { ...IMAGE, media_url: 'https://example.com:80/a.jpg' }],
    ['localhost', '/media_url', { ...IMAGE, media_url: 'http://localhost/a.jpg' }],
    ['a password', '/media_url', { ...IMAGE, media_url: 'https://a:b@example.com/' }],
    ['a file', '/media_url', { ...IMAGE, media_url: 'file:///etc/passwd' }],
    ['a data URL', '/media_url', { ...IMAGE, media_url: 'data:image/png;base64,AAAA' }],
    ['no address', '/media_url', { media_kind: 'image' }],
    ['2049 characters', '/media_url', { ...IMAGE, media_url: `https://example.com/${'x'.repeat(2029)}` }],
    ['2049 characters of http', '/media_url', { ...IMAGE, media_url: `http://example.com/${'x'.repeat(2030)}` }],
    ['2049 characters with a port', '/media_url', { ...IMAGE, media_url: `http://example.com:80/${'x'.repeat(2027)}` }],
    ['an unknown kind', '/media_kind', { ...IMAGE, media_kind: 'hologram' }],
    ['an unknown key', '/x', { ...IMAGE, x: 1 }],
  ])('refuses %s, and records nothing', async (_title, path, given) => {
    const before = await service.countJobs()
    const { status, body } = await tag(given)
    expect([status, body.error_code]).toEqual([400, 'INVALID_REQUEST'])
    expect(body.details.map((detail) => detail.path)).toContain(path)
    expect(await service.countJobs()).toBe(before)
  })

  it.each([
    'http://example.com/a.jpg',
    'HTTP://example.com:80/a.jpg',
    'http://example.com:80',
    'http://example.com:8080/',
    `http://example.com/${'x'.repeat(2029)}`,
    `http://example.com:80/${'x'.repeat(2026)}`,
    `https://example.com/${'x'.repeat(2028)}`,
  ])('takes %s', async (mediaUrl) => {
    expect((await tag({ ...IMAGE, media_url: mediaUrl })).status).toBe(200)
  })

  it('needs its scope', async () => {
    expect((await tag('{', await service.newKey(['companion:chat', 'generate:voice']))).status).toBe(403)
  })

  it('is the same through GraphQL', async () => {
    const text = `mutation { tagMedia(mediaUrl: "${IMAGE.media_url}", mediaKind: IMAGE) {
      ... on CompanionMediaTagAnswer { status isProhibited mediaUrl mediaKind tags } } }`
    expect((await service.graphql(key, text)).data).toEqual({
      tagMedia: {
        status: 'COMPLETED',
        isProhibited: false,
        mediaUrl: IMAGE.media_url,
        mediaKind: 'IMAGE',
        tags: ['harbour', 'ships'],
      },
    })
  })
})

describe('parseTags', () => {
  it.each<[string, string[]]>([
    ['["Cat", "sofa"]', ['cat', 'sofa']],
    ['```json\n["cat","sofa"]\n```', ['cat', 'sofa']],
    ['Here are the tags: ["cat", "sofa"]. Enjoy!', ['cat', 'sofa']],
    ['{"tags": ["cat", "sofa", 7, null]}', ['cat', 'sofa']],
    ['1. cat\n2. sofa\n', ['cat', 'sofa']],
    ['- #cat\n- sofa', ['cat', 'sofa']],
    ['cat, sofa, cat', ['cat', 'sofa']],
    ['I am sorry, but as a language model I cannot see this.', ['i am sorry']],
    ['[]', []],
    [
      JSON.stringify(Array.from({ length: 50 }, (_, at) => `tag ${at}`)),
      Array.from({ length: 20 }, (_, at) => `tag ${at}`),
    ],
    [`["${'x'.repeat(61)}", "ok"]`, ['ok']],
    ['[[[[', ['[[[[']],
  ])('reads %j', (reply, tags) => {
    expect(parseTags(reply)).toEqual(tags)
  })

  it('leaves out what is far too long for a tag before it is trimmed', () => {
    const dots = `a${'.'.repeat(31_000)}a`
    const began = process.threadCpuUsage().user
    expect(parseTags(JSON.stringify(['harbour', dots, `${' .'.repeat(20)}ships${' .'.repeat(20)}`]))).toEqual([
      'harbour',
      'ships',
    ])
    expect((process.threadCpuUsage().user - began) / 1000).toBeLessThan(200)
  })
})
