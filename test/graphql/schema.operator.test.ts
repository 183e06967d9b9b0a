import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createUser } from '../../src/users/create-user.ts'
import { newId } from '../../src/values/id.ts'
import { applyEndpoint } from '../setup/jobs/voice-jobs.ts'
import { applyWorkflow } from '../setup/jobs/workflows.ts'
import { ask, codeOf, REFUSED, read } from '../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'

const SETTINGS = 'settings { published requiredScope engine pool timeLimitSeconds creditsPerCharacter }'

let service: TestRuntime
let operator: string
let caller: string
beforeAll(async () => {
  service = await startTestRuntime()
  await applyEndpoint(service.runtime, 'vip', {}, { required_scope: 'voice:vip', credits_per_character: 3 })
  await applyEndpoint(service.runtime, 'draft', { pool: 'spare' }, { published: false })
  await applyWorkflow(service.runtime, 'portrait')
  const scopes = ['generate:voice', 'generate:workflow', 'job:read', 'account:admin']
  operator = (await service.createKey(await service.createAccount(), ['operator'])).apiKey
  caller = (await service.createKey(await service.createAccount(), scopes)).apiKey
})
afterAll(() => service?.close())

describe('the operator', () => {
  test('sees every endpoint as it is configured, its voices too', async () => {
    const { endpoints } = await read<{ endpoints: { edges: { node: { slug: string } }[] } }>(
      service.url,
      operator,
      `{ endpoints { edges { node { slug ${SETTINGS} voices { slug settings { engineVoice } } } } } }`,
    )
    const bySlug = Object.fromEntries(endpoints.edges.map(({ node }) => [node.slug, node]))
    expect(Object.keys(bySlug)).toEqual(['draft', 'tts', 'vip'])
    expect(bySlug.draft).toMatchObject({ settings: { published: false, requiredScope: null, pool: 'spare' } })
    expect(bySlug.vip).toEqual({
      slug: 'vip',
      settings: {
        published: true,
        requiredScope: 'voice:vip',
        engine: { kind: 'espeak' },
        pool: 'espeak',
        timeLimitSeconds: 60,
        creditsPerCharacter: 3,
      },
      voices: [{ slug: 'calm', settings: { engineVoice: 'en-us+f3' } }],
    })
  })

  test('finds what is hidden from others by its id', async () => {
    for (const id of ['voice.vip', 'voice.draft', 'voice.vip.calm', 'generate.portrait']) {
      expect(await read(service.url, operator, `{ node(id: "${id}") { id } }`)).toEqual({ node: { id } })
    }
    expect(await read(service.url, operator, '{ node(id: "voice.none") { id } }')).toEqual({ node: null })
  })

  test('reads an endpoint as a file, and learns what a changed one would change before it does', async () => {
    const file = async (slug: string) =>
      (await read<{ endpointFile: string }>(service.url, operator, `{ endpointFile(slug: "${slug}") }`)).endpointFile
    const source = await file('vip')
    const apply = `mutation ($source: String!, $dryRun: Boolean) { applyEndpoints(source: $source, dryRun: $dryRun) {
      ... on ApplyEndpointsSuccess { slugs changes { slug isNew fields { path before after } } } ${REFUSED} } }`
    const dry = (changed: string, dryRun = true) => read(service.url, operator, apply, { source: changed, dryRun })
    const answer = (changes: object[]) => ({ applyEndpoints: { slugs: ['vip'], changes } })
    const same = answer([{ slug: 'vip', isNew: false, fields: [] }])
    expect(await dry(source)).toEqual(same)
    const dearer = source.replace('credits_per_character: 3', 'credits_per_character: 4')
    const fields = [{ path: 'credits_per_character', before: '3', after: '4' }]
    const changed = answer([{ slug: 'vip', isNew: false, fields }])
    expect([await dry(dearer), await dry(dearer)]).toEqual([changed, changed])
    expect([await dry(dearer, false), await dry(source, false), await dry(source)]).toEqual([
      changed,
      answer([{ slug: 'vip', isNew: false, fields: [{ ...fields[0], before: '4', after: '3' }] }]),
      same,
    ])
    const fresh = await dry(source.replace('slug: vip', 'slug: fresh'))
    expect(fresh).toMatchObject({ applyEndpoints: { slugs: ['fresh'], changes: [{ isNew: true }] } })
    const wrong = await dry(source.replace('published: true', 'published: maybe'))
    const line = source.split('\n').findIndex((text) => text.includes('published:')) + 1
    expect(wrong).toMatchObject({
      applyEndpoints: { details: [{ path: `line ${line}`, message: 'endpoints.0.published must be true or false' }] },
    })
    for (const query of [
      '{ endpointFile(slug: "vip") }',
      `mutation { applyEndpoints(source: "x", dryRun: true) { ${REFUSED} } }`,
    ])
      expect(JSON.stringify(await ask(service.url, caller, query))).toContain('FORBIDDEN')
  })

  test('sees no password of a server, and cannot apply a file in which it is hidden', async () => {
    await applyWorkflow(service.runtime, 'guarded', { base_url: 'http://user:sesame@127.0.0.1:9' })
    const shown = await read<{ endpointFile: string }>(service.url, operator, '{ endpointFile(slug: "guarded") }')
    expect(shown.endpointFile).toContain('http://user:********@127.0.0.1:9')
    const settings = await read(service.url, operator, '{ workflows { edges { node { settings { engine } } } } }')
    expect(JSON.stringify(settings)).toContain('http://user:********@127.0.0.1:9')
    expect(JSON.stringify(settings)).not.toContain('sesame')
    const apply = `mutation ($source: String!) { applyEndpoints(source: $source, dryRun: true) {
      ... on ApplyEndpointsSuccess { changes { fields { path before after } } } ${REFUSED} } }`
    const refused = await read(service.url, operator, apply, { source: shown.endpointFile })
    expect(JSON.stringify(refused)).toContain('must hold the password itself')
    const source = shown.endpointFile.replace('********', 'other')
    const changed = JSON.stringify(await read(service.url, operator, apply, { source }))
    expect([changed.includes('engine.base_url'), /sesame|other/.test(changed)]).toEqual([true, false])
    await read(service.url, operator, 'mutation { deleteEndpoint(slug: "guarded") { __typename } }')
  })

  test('sees where the servers of a pool are, and neither their users, passwords nor queries', async () => {
    const address = 'http://user:sesame@127.0.0.1:9/cog?token=sesame'
    await applyWorkflow(service.runtime, 'guarded', { base_url: address, max_in_flight: 7 })
    await service.runtime.db.pool.query(
      `insert into worker (id, host, version, pools, slots, in_flight, gpus, permits, heartbeat_at)
       values ('wrk_guarded', 'h', '1', '{}', 1, 0, '[]', $1, now())`,
      [JSON.stringify({ [address]: 7 })],
    )
    const { pools, workers } = await read<{ pools: { name: string }[]; workers: object[] }>(
      service.url,
      operator,
      '{ pools { name server maxInFlight } workers { id permits { server requests } } }',
    )
    expect(pools.find(({ name }) => name === 'generate.cog')).toEqual({
      name: 'generate.cog',
      server: 'http://127.0.0.1:9, http://127.0.0.1:9/cog',
      maxInFlight: 1 + 7,
    })
    expect(workers).toEqual([{ id: 'wrk_guarded', permits: [{ server: 'http://127.0.0.1:9/cog', requests: 7 }] }])
    for (const field of ['pools { server }', 'pools { maxInFlight }', 'workers { permits { server } }'])
      expect(codeOf(await ask(service.url, caller, `{ ${field} }`))).toBe('FORBIDDEN')
    await service.runtime.db.pool.query('delete from worker')
    await read(service.url, operator, 'mutation { deleteEndpoint(slug: "guarded") { __typename } }')
  })

  test('sees how workflows are configured, which their callers do not', async () => {
    const node = await read(service.url, operator, '{ workflows { edges { node { slug settings { engine } } } } }')
    expect(node).toMatchObject({
      workflows: { edges: [{ node: { slug: 'portrait', settings: { engine: { kind: 'cog' } } } }] },
    })
    const answer = await ask(
      service.url,
      caller,
      '{ node(id: "generate.portrait") { ... on Workflow { slug settings { engine } } } }',
    )
    expect([answer.data, codeOf(answer)]).toEqual([{ node: { slug: 'portrait', settings: null } }, 'FORBIDDEN'])
  })

  test('reads the ledger and the users of any account, by id or name', async () => {
    const account = await service.createAccount(7n)
    const user = { account, email: 'p@example.org', password: 'correct horse battery', role: 'owner' as const }
    await createUser(service.runtime.as({ kind: 'system' }), user)
    const { name } = await service.runtime.db.prisma.account.findUniqueOrThrow({ where: { id: account } })
    for (const owner of [account, name]) {
      const text = `query ($owner: ID!) { creditEntries(account: $owner) { edges { node { amount } } }
        users(account: $owner) { edges { node { email role disabledAt } } } }`
      expect(await read(service.url, operator, text, { owner })).toEqual({
        creditEntries: { edges: [{ node: { amount: 7 } }] },
        users: { edges: [{ node: { email: 'p@example.org', role: 'OWNER', disabledAt: null } }] },
      })
    }
    expect(await read(service.url, operator, `{ node(id: "${account}") { ... on Account { credits } } }`)).toEqual({
      node: { credits: 7 },
    })
  })
})

describe('every other caller', () => {
  test.each(['endpoints', 'workflows', 'accounts'])('gets no %s', async (list) => {
    const text = `{ ${list} { edges { cursor } } }`
    expect(codeOf(await ask(service.url, caller, text))).toBe('FORBIDDEN')
    expect(codeOf(await ask(service.url, null, text))).toBe('UNAUTHORIZED')
  })

  test('sees no settings, and what they may see next to the rejection', async () => {
    const text = '{ catalogEndpoint(slug: "tts") { slug settings { published } } }'
    for (const [key, code] of [
      [caller, 'FORBIDDEN'],
      [null, 'UNAUTHORIZED'],
    ] as const) {
      const answer = await ask(service.url, key, text)
      expect([answer.data, codeOf(answer)]).toEqual([{ catalogEndpoint: { slug: 'tts', settings: null } }, code])
    }
  })

  test.each(['creditEntries', 'users'])(
    'learns from %s nothing of other accounts, not even whether they are there',
    async (list) => {
      const other = await service.createAccount()
      const of = (account: string) =>
        ask(service.url, caller, `{ ${list}(account: "${account}") { edges { cursor } } }`)
      const plain = (answer: object) => JSON.stringify(answer).replace(/"requestId":"[^"]*"/, '')
      expect(codeOf(await of(other))).toBe('FORBIDDEN')
      expect(plain(await of(other))).toBe(plain(await of(newId('acct'))))
    },
  )
})
