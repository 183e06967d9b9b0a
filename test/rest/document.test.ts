import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { generateRestTypes } from '../../rest/generate-types.ts'
import { operations } from '../../rest/operations.ts'
import { forbidden, payloadTooLarge } from '../../src/errors/service-error.ts'
import { type Door, post, startDoor } from '../setup/service/start-rest.ts'

const PUBLIC_URL = 'https://voice.example.com/base'
const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** Errors that are put together of more than one text. */
const TEMPLATES = [
  forbidden('generate:voice').message,
  payloadTooLarge().message,
  'Send a voice from GET /api/v1/voice/tts/voices.',
]
const METHODS = ['get', 'post', 'put', 'patch', 'delete']

interface Response {
  $ref?: string
  content?: Record<string, { schema: object; example?: unknown; examples?: Record<string, { value: unknown }> }>
  headers?: Record<string, { $ref?: string; required?: boolean; schema: object }>
}
interface Operation {
  operationId: string
  requestBody?: Response
  responses: Record<string, Response>
}
interface Document {
  openapi: string
  info: { version: string }
  servers: { url: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { responses: Record<string, Response>; headers: Record<string, { required?: boolean; schema: object }> }
}

let door: Door
let document: Document
let ajv: Ajv2020
beforeAll(async () => {
  door = await startDoor({ PUBLIC_URL, RATE_LIMIT_PER_MINUTE: '1000' })
  document = (await (await fetch(`${door.url}/api/v1/openapi.json`)).json()) as Document
  ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
  ajv.addSchema({ ...document, $id: 'openapi' } as object)
})
afterAll(() => door.close())

const validator = (schema: object): ValidateFunction =>
  ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"openapi#/components/')))

const allOperations = () =>
  Object.values(document.paths).flatMap((path) => METHODS.flatMap((method) => (path[method] ? [path[method]] : [])))

const operationOf = (id: string) => allOperations().find(({ operationId }) => operationId === id) as Operation

/** A response with its references followed. */
const responseOf = (id: string, status: number): Response => {
  const response = operationOf(id).responses[status]
  const name = response?.$ref?.split('/').at(-1)
  const found = name === undefined ? response : document.components.responses[name]
  if (found === undefined) throw new Error(`${id} does not document ${status}`)
  return found
}

/** Holds a real response against what the document says of it. */
async function expectDocumented(id: string, response: globalThis.Response): Promise<void> {
  const documented = responseOf(id, response.status)
  for (const [name, header] of Object.entries(documented.headers ?? {})) {
    const referred =
      header.$ref === undefined ? header : document.components.headers[header.$ref.split('/').at(-1) ?? '']
    if (referred?.required) expect(response.headers.has(name), `${id} ${response.status} ${name}`).toBe(true)
  }
  const type = response.headers.get('content-type')?.split(';')[0] ?? ''
  if (documented.content !== undefined) expect(Object.keys(documented.content)).toContain(type)
  if (type === 'text/csv') return
  const schema = documented.content?.['application/json']?.schema
  const text = await response.text()
  if (schema === undefined) return expect(text).toBe('')
  const validate = validator(schema)
  expect(validate(JSON.parse(text)) ? [] : validate.errors).toEqual([])
}

describe('the document', () => {
  it('is OpenAPI 3.1 that names the public address', () => {
    expect(document.openapi).toBe('3.1.0')
    expect(document.servers).toEqual([{ url: `${PUBLIC_URL}/api/v1` }])
  })

  it('has one of the door for clients of OpenAI next to it', async () => {
    const openai = (await (await fetch(`${door.url}/v1/openapi.json`)).json()) as Document
    expect(openai.servers).toEqual([{ url: `${PUBLIC_URL}/v1` }])
    expect(Object.keys(openai.paths)).toContain('/audio/speech')
    expect(await (await fetch(`${door.url}/docs/reference`)).text()).toContain('href="reference?of=openai"')
  })

  it('describes the body of a webhook as what polling answers', () => {
    const { jobFinished } = (document as unknown as { webhooks: Record<string, { post: Operation }> }).webhooks
    expect(jobFinished?.post.requestBody?.content?.['application/json']?.schema).toEqual({
      $ref: '#/components/schemas/VoiceJob',
    })
  })

  it('describes exactly the operations that there are', () => {
    expect(
      allOperations()
        .map(({ operationId }) => operationId)
        .sort(),
    ).toEqual(Object.keys(operations).sort())
  })

  it('shows errors in the words that the service says', async () => {
    const files = globSync('{src,rest}/**/*.ts', { cwd: ROOT })
    const sources = (await Promise.all(files.map((file) => readFile(`${ROOT}${file}`, 'utf8')))).join('\n')
    const shown = [...JSON.stringify(document).matchAll(/"error":("(?:[^"\\]|\\.)*"),"error_code"/g)]
    const errors = shown.map(([, text]) => JSON.parse(text as string) as string)
    expect(errors.length).toBeGreaterThan(10)
    expect(errors.filter((error) => !TEMPLATES.includes(error) && !sources.includes(error))).toEqual([])
  })

  it('has no reference that leads nowhere', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path as string)
    for (const path of references) {
      const target = path.split('/').reduce<unknown>((at, name) => (at as Record<string, unknown>)?.[name], document)
      expect(target, path).toBeDefined()
    }
  })

  it('is what rest/types.ts was generated from', async () => {
    const read = (name: string) => readFile(new URL(`../../rest/${name}`, import.meta.url), 'utf8')
    expect(await generateRestTypes(await read('openapi.yaml'))).toBe(await read('types.ts'))
  })
})

describe('what is answered', () => {
  it('fits the document', async () => {
    const key = await door.createKey()
    const poor = await door.createKey({ credits: 0n })
    const scopeless = await door.createKey({ scopes: [] })
    const voice = door.runtime.catalog.current.endpoints.get('tts')?.voices[0]?.slug
    const good = { inputs: { text: 'Hello.', voice } }
    const ask = (path: string, bearer: string) =>
      fetch(door.url + path, { headers: { authorization: `Bearer ${bearer}` } })
    const speak = (init: RequestInit) => fetch(`${door.url}/api/v1/voice/tts`, init)

    const made = await speak(post(key, good, { 'idempotency-key': 'a' }))
    const { location } = Object.fromEntries(made.headers)
    await expectDocumented('submitVoiceJob', made)
    await expectDocumented('submitVoiceJob', await speak(post(key, { inputs: {} }, { 'idempotency-key': 'a' })))
    await expectDocumented(
      'submitVoiceJob',
      await speak(post(key, { ...good, inputs: { ...good.inputs, text: 'x' } }, { 'idempotency-key': 'a' })),
    )
    await expectDocumented('submitVoiceJob', await speak(post(key, {})))
    await expectDocumented('submitVoiceJob', await speak(post(poor, good)))
    await expectDocumented('submitVoiceJob', await speak(post(key, good, { 'content-type': 'text/plain' })))
    await expectDocumented('voiceJob', await ask(location ?? '', key))
    await expectDocumented('voiceJob', await ask('/api/v1/voice/jobs/x', key))
    for (const [id, path] of [
      ['endpointVoices', 'voices'],
      ['endpointSchema', 'schema'],
    ] as const) {
      for (const bearer of [key, scopeless, 'nonsense']) {
        await expectDocumented(id, await ask(`/api/v1/voice/tts/${path}`, bearer))
        await expectDocumented(id, await ask(`/api/v1/voice/nothing/${path}`, bearer))
      }
    }
    await expectDocumented('job', await ask(`/api/v1/jobs/${location?.split('/').at(-1)}`, key))
    await expectDocumented('job', await ask('/api/v1/jobs/x', key))
    for (const query of ['', '?limit=1&status=queued', '?limit=0', '?status=none', '?decision=foo']) {
      await expectDocumented('jobPage', await ask(`/api/v1/jobs${query}`, key))
    }
    for (const bearer of [scopeless, 'nonsense']) await expectDocumented('jobPage', await ask('/api/v1/jobs', bearer))
    for (const query of ['', '?from=2026-01-01&to=2026-02-01']) {
      await expectDocumented('exportJobs', await ask(`/api/v1/jobs/export${query}`, key))
    }
    const privileged = await door.createKey({
      scopes: ['companion:chat', 'companion:retarget', 'companion:media_tag', 'generate:workflow'],
    })
    const image = { media_url: 'https://example.com/a.png', media_kind: 'image' }
    for (const [id, path, body] of [
      ['chatWithCompanion', '/companion/chat', { message: 'Hello.' }],
      ['chatWithCompanion', '/companion/chat', { chat_id: 'nothing', message: 'Hello.' }],
      ['retargetCompanion', '/companion/retarget', { chat_id: 'nothing', persona: 'You are kind.' }],
      ['tagMedia', '/companion/media-tag', image],
      ['submitGeneration', '/generate/nothing', { inputs: {} }],
    ] as const) {
      for (const bearer of [privileged, scopeless, 'nonsense']) {
        await expectDocumented(id, await fetch(`${door.url}/api/v1${path}`, post(bearer, body)))
      }
      await expectDocumented(id, await fetch(`${door.url}/api/v1${path}`, post(privileged, { x: 1 })))
    }
    const whole = await fetch(`${door.url}/api/v1/public/voice`)
    const tag = whole.headers.get('etag') ?? ''
    await expectDocumented('catalog', whole)
    await expectDocumented(
      'catalog',
      await fetch(`${door.url}/api/v1/public/voice`, { headers: { 'if-none-match': tag } }),
    )
    await expectDocumented('catalogEndpoint', await fetch(`${door.url}/api/v1/public/voice/tts`))
    await expectDocumented('catalogEndpoint', await fetch(`${door.url}/api/v1/public/voice/nothing`))
  })

  it('fits the document for a request that is not well-formed HTTP', async () => {
    const answer = await door.raw('GET /api/v1/public/voice HTTP/1.1\r\nHost: a\r\nno header\r\n\r\n')
    const [head = '', body = ''] = answer.split('\r\n\r\n')
    expect(head).toMatch(/^HTTP\/1.1 400 /)
    expect(JSON.parse(body)).toEqual(responseOf('catalog', 400).content?.['application/json']?.example)
  })
})

describe('the reference', () => {
  it('comes whole from the service', async () => {
    const page = await fetch(`${door.url}/docs/reference`)
    const html = await page.text()
    const policy = page.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("connect-src 'self' https://voice.example.com")
    const links = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link as string)
    expect(links.length).toBe(7)
    for (const link of links) expect((await fetch(new URL(link, page.url))).status, link).toBe(200)
    const start = await (await fetch(new URL(links.find((link) => link.includes('start'))!, page.url))).text()
    expect(start).toContain('"validatorUrl":null')
    const [openai, own] = [...start.matchAll(/'(\.\.\/[^']+\.json)'/g)].map(
      ([, url]) => new URL(url as string, page.url),
    )
    expect(await (await fetch(own!)).json()).toEqual(document)
    expect(await (await fetch(openai!)).json()).toMatchObject({ servers: [{ url: `${PUBLIC_URL}/v1` }] })
    const { version } = JSON.parse(await readFile(`${ROOT}package.json`, 'utf8'))
    expect(document.info.version).toBe(version)
  })
})
