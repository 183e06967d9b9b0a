import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call } from '../../setup/http.ts'
import { endpoint } from '../../setup/jobs/fixtures.ts'
import { runHere, sonantHere } from '../../setup/processes/command-here.ts'
import { makeKey } from '../../setup/processes/operator.ts'
import { cleanUp, makeTempDir, type Service, startService } from '../../setup/processes/process.ts'
import { until } from '../../setup/wait.ts'

type Entry = { slug: string; name: string; schema_version: string }
type Catalog = { catalog_version: string; endpoints: Entry[] }

// Each command is a process of its own, and several run in one test.
const DEADLINE_MS = 180_000
/** Other processes hear of a change: none asks for the catalog again by itself. */
const LIVE_MS = 20_000

const toYaml = (item: object): string =>
  `  - ${Object.entries(item)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
    .join('\n    ')}\n`

describe('endpoint files', { timeout: DEADLINE_MS }, () => {
  let service: Service
  let directory = ''
  let key = ''

  const catalog = async () => {
    const reply = await call(`${service.url}/api/v1/public/voice`)
    return { etag: reply.headers.etag, ...reply.json<Catalog>() }
  }
  const entry = async (slug: string) => (await catalog()).endpoints.find((one) => one.slug === slug)
  const voices = (slug: string, apiKey: string) => call(`${service.url}/api/v1/voice/${slug}/voices`, { key: apiKey })
  const soon = <T>(condition: () => Promise<T>, what: string) => until(condition, LIVE_MS, what)
  const applyFile = (file: string) => sonantHere(service.env, 'endpoints', 'apply', file)
  const remove = (slug: string) => sonantHere(service.env, 'endpoints', 'delete', slug)
  const apply = async (...endpoints: object[]) => {
    const file = join(directory, 'endpoints.json')
    await writeFile(file, JSON.stringify({ endpoints }))
    return applyFile(file)
  }

  const refusedFile = async (text: string) => {
    const file = join(directory, 'broken.yaml')
    await writeFile(file, text)
    const { code, stdout, stderr } = await runHere(['endpoints', 'apply', file, '--json'], service.env)
    expect(code).not.toBe(0)
    expect(stderr + stdout).not.toMatch(/\n\s+at .*:\d+:\d+/)
    expect(await entry('innocent')).toBeUndefined()
    return stderr + stdout
  }

  beforeAll(async () => {
    service = await startService()
    directory = await makeTempDir()
    key = service.key
  })
  afterAll(cleanUp)

  test('an applied endpoint is in the catalog without a restart, and its deletion restores the old version', async () => {
    const before = await catalog()
    expect(await apply(endpoint('radio'), endpoint('stage'))).toEqual({ applied: ['radio', 'stage'] })
    await soon(() => entry('radio'), 'radio to be listed')
    const after = await catalog()
    expect(after.catalog_version).not.toBe(before.catalog_version)
    expect(after.etag).not.toBe(before.etag)
    expect(await sonantHere(service.env, 'endpoints', 'delete', 'radio')).toEqual({ deleted: 'radio' })
    expect(await remove('stage')).toEqual({ deleted: 'stage' })
    await soon(async () => !(await entry('stage')), 'stage to be gone')
    expect(await catalog()).toEqual(before)
    expect((await voices('radio', key)).status).toBe(404)
  })

  test('a change is live without a restart in every process on the same database, and all answer with the same catalog', async () => {
    const other = await startService({ dataDir: service.dataDir, awaitKey: false })
    const reachable = async (url: string) => (await call(`${url}/api/v1/voice/choir/schema`, { key })).status
    const both = (status: number, what: string) =>
      Promise.all([service, other].map(({ url }) => soon(async () => (await reachable(url)) === status, what)))
    await both(404, 'choir to be missing')
    await apply(endpoint('choir'))
    await both(200, 'choir to be live')
    const listed = await call(`${other.url}/api/v1/public/voice`)
    expect({ etag: listed.headers.etag, ...listed.json<Catalog>() }).toEqual(await catalog())
    await remove('choir')
    await both(404, 'choir to be gone')
    expect(await other.stop()).toBe(0)
  })

  test('schema_version follows what a caller depends on, not names, descriptions or voices', async () => {
    const renamed = { name: 'Renamed', description: null, voices: [{ ...endpoint('x').voices[0], slug: 'other' }] }
    await apply(endpoint('drama'))
    const first = await soon(() => entry('drama'), 'drama to be listed')
    await apply(endpoint('drama', renamed))
    const second = await soon(async () => (await entry('drama'))?.name === 'Renamed' && entry('drama'), 'the name')
    expect(second).toMatchObject({ schema_version: first!.schema_version })
    await apply(endpoint('drama', { ...renamed, response_fields: ['created_at'] }))
    await soon(async () => (await entry('drama'))!.schema_version !== first!.schema_version, 'a new version')
    await remove('drama')
    await soon(async () => !(await entry('drama')), 'drama to be gone')
  })

  test('an unpublished or restricted endpoint does not touch catalog_version', async () => {
    const before = await catalog()
    const insider = await makeKey(service.env, 'demo', ['generate:voice', 'voice:inside'])
    await apply(endpoint('draft', { published: false }), endpoint('inside', { required_scope: 'voice:inside' }))
    await soon(async () => (await voices('inside', insider.apiKey)).status === 200, 'inside to be live')
    expect(await catalog()).toEqual(before)
  })

  test('an endpoint file in YAML is accepted like one in JSON', async () => {
    const file = join(directory, 'endpoints.yaml')
    await writeFile(file, `# a comment\nendpoints:\n${toYaml(endpoint('yaml'))}`)
    expect(await sonantHere(service.env, 'endpoints', 'apply', file)).toEqual({ applied: ['yaml'] })
    await soon(() => entry('yaml'), 'the endpoint from YAML')
  })

  test.for([
    ['a wrong type', { credits_per_character: 'lots' }, /credits_per_character/],
    ['a negative price', { credits_per_character: -1 }, /credits_per_character/],
    ['an unknown engine', { engine: { kind: 'gramophone' } }, /engine|kind/],
    ['an unknown field', { nmae: 'Misspelt' }, /nmae/],
    ['a slug that cannot be a path', { slug: 'Not a slug' }, /slug/],
    ['inputs that are no JSON Schema', { inputs: { type: 'strin' } }, /inputs/],
    ['a voice input that the inputs lack', { voice_input: 'speaker' }, /voice_input/],
  ] as const)('a file with %s is refused whole, with line and reason', async ([, violation, reason]) => {
    const text = `# header\nendpoints:\n${toYaml(endpoint('innocent'))}${toYaml(endpoint('guilty', violation))}`
    const [field] = Object.keys(violation)
    const line = text.split('\n').findLastIndex((one) => one.includes(`${field}:`)) + 1
    const message = await refusedFile(text)
    expect(message).toMatch(new RegExp(`(line\\s*|:)${line}\\b`, 'i'))
    expect(message).toMatch(reason)
  })

  test('a file that is no YAML is refused whole, with the line', async () => {
    const text = `endpoints:\n${toYaml(endpoint('innocent'))}  - slug: "never closed\n    name: x\n`
    const last = text.split('\n').length
    const lines = /(?:line\s*|:)(\d+)\b/i.exec(await refusedFile(text))
    expect(Number(lines?.[1])).toBeGreaterThanOrEqual(last - 2)
    expect(Number(lines?.[1])).toBeLessThanOrEqual(last)
  })

  test('a file that names one slug twice is refused whole', async () => {
    expect(await refusedFile(`endpoints:\n${toYaml(endpoint('innocent')).repeat(2)}`)).toContain('innocent')
  })
})
