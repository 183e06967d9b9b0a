import { isObjectType } from 'graphql'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { graphqlSchema } from '../../src/graphql/schema.ts'
import { createUser } from '../../src/users/create-user.ts'
import { applyEndpoint } from '../setup/jobs/voice-jobs.ts'
import { applyWorkflow } from '../setup/jobs/workflows.ts'
import { ask, codeOf, mutation, read } from '../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'

const SIZE = 5
const IN_MEMORY: readonly string[] = ['endpoints', 'workflows']
const MISSING_CURSORS = ['first: 0', 'first: 101', 'last: 0', 'first: 1, last: 1']

interface Page {
  readonly edges: readonly { readonly cursor: string; readonly node: { readonly id: string } }[]
  readonly nodes: readonly { readonly id: string }[]
  readonly totalCount: number
  readonly pageInfo: {
    readonly hasNextPage: boolean
    readonly hasPreviousPage: boolean
    readonly startCursor: string | null
    readonly endCursor: string | null
  }
}

let service: TestRuntime
let key: string
/** Ids by list, in the order of the list. */
const ids: Record<string, string[]> = {}

beforeAll(async () => {
  service = await startTestRuntime()
  const account = await service.createAccount(0n)
  const accounts = [account]
  while (accounts.length < SIZE) accounts.push(await service.createAccount())
  const operator = await service.createKey(account, ['operator', 'account:admin'])
  key = operator.apiKey
  const keys = [operator.apiKeyId]
  while (keys.length < SIZE) keys.push((await service.createKey(account)).apiKeyId)
  const users: string[] = []
  for (let count = 0; count < SIZE; count++) {
    const user = {
      account,
      email: `p${count}@example.org`,
      password: 'correct horse battery',
      role: 'member' as const,
    }
    users.push((await createUser(service.runtime.as({ kind: 'system' }), user)).id)
    await read(service.url, key, mutation(`creditAccount(account: "${account}", amount: ${count + 1})`, '__typename'))
    await applyEndpoint(service.runtime, `zz-${count}`, {}, count % 2 === 0 ? { published: false } : {})
    await applyWorkflow(service.runtime, `flow-${count}`)
  }
  const { rows } = await service.runtime.db.pool.query<{ id: string }>(
    `select public_id as id from credit_entry where account_id = $1 order by credit_entry.id desc`,
    [account],
  )
  const numbered = (prefix: string) => Array.from({ length: SIZE }, (_, n) => `${prefix}${n}`)
  ids.accounts = accounts
  ids.apiKeys = keys.toReversed()
  ids.users = users
  ids.creditEntries = rows.map(({ id }) => id)
  ids.endpoints = ['voice.tts', ...numbered('voice.zz-')]
  ids.workflows = numbered('generate.flow-')
})
afterAll(() => service?.close())

async function page(list: string, args: string): Promise<Page> {
  const text = `{ ${list}${args === '' ? '' : `(${args})`} { edges { cursor node { id } } nodes { id } totalCount
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`
  return (await read<Record<string, Page>>(service.url, key, text))[list]!
}
const idsOf = ({ edges }: Page) => edges.map(({ node }) => node.id)

/** The statements that count, of an answer. */
async function countsOf(document: string): Promise<string[]> {
  const query = vi.spyOn(pg.Client.prototype, 'query')
  try {
    await read(service.url, key, document)
    const texts = query.mock.calls.map(([statement]: unknown[]) => (statement as { text?: string }).text ?? '')
    return texts.filter((text) => /\bcount\(/i.test(text))
  } finally {
    query.mockRestore()
  }
}

describe.each(['accounts', 'apiKeys', 'users', 'creditEntries', 'endpoints', 'workflows'])('%s', (list) => {
  test('are walked forwards and backwards without a gap or a repetition', async () => {
    const all = ids[list]!
    expect(idsOf(await page(list, ''))).toEqual(all)
    const forwards: string[] = []
    let [cursor, more] = ['', true]
    while (more) {
      const { edges, pageInfo } = await page(list, `first: 2${cursor === '' ? '' : `, after: "${cursor}"`}`)
      forwards.push(...edges.map(({ node }) => node.id))
      expect(pageInfo.hasPreviousPage).toBe(cursor !== '')
      expect([pageInfo.startCursor, pageInfo.endCursor]).toEqual([edges[0]!.cursor, edges.at(-1)!.cursor])
      ;[cursor, more] = [pageInfo.endCursor!, pageInfo.hasNextPage]
    }
    expect(forwards).toEqual(all)
    const backwards: string[] = []
    ;[cursor, more] = ['', true]
    while (more) {
      const { edges, pageInfo } = await page(list, `last: 2${cursor === '' ? '' : `, before: "${cursor}"`}`)
      backwards.unshift(...edges.map(({ node }) => node.id))
      ;[cursor, more] = [pageInfo.startCursor!, pageInfo.hasPreviousPage]
    }
    expect(backwards).toEqual(all)
  })

  test('have the objects of their edges as nodes, and the number of all of them with any page', async () => {
    const all = ids[list]!
    for (const args of ['', 'first: 2', `last: 1, before: "${all[2]}"`]) {
      const { edges, nodes, totalCount } = await page(list, args)
      expect(nodes).toEqual(edges.map(({ node }) => node))
      expect(totalCount).toBe(all.length)
    }
  })

  test('are counted only if the count is selected', async () => {
    expect(await countsOf(`{ ${list} { nodes { id } edges { cursor } } }`)).toEqual([])
    const counts = await countsOf(`{ ${list} { totalCount } }`)
    expect(counts).toHaveLength(IN_MEMORY.includes(list) ? 0 : 1)
  })

  test('come between two cursors, and no further', async () => {
    const all = ids[list]!
    const between = `after: "${all[0]}", before: "${all.at(-1)}"`
    expect(idsOf(await page(list, between))).toEqual(all.slice(1, -1))
    expect(idsOf(await page(list, `last: 1, ${between}`))).toEqual(all.slice(-2, -1))
    const empty = await page(list, `after: "${all.at(-1)}"`)
    expect(empty).toMatchObject({ edges: [], pageInfo: { hasNextPage: false, startCursor: null, endCursor: null } })
  })

  test.each([...MISSING_CURSORS, 'after: "nonsense"', 'before: "a\\u0000"'])('are refused with %s', async (args) => {
    const answer = await ask(service.url, key, `{ ${list}(${args}) { edges { cursor } } }`)
    expect(codeOf(answer)).toBe('INVALID_REQUEST')
    expect(answer.errors![0]!.extensions.details).not.toEqual([])
  })

  test('are found one by one by their ids', async () => {
    for (const id of ids[list]!) {
      const { node } = await read<{ node: unknown }>(service.url, key, `{ node(id: "${id}") { id } }`)
      expect(node).toEqual({ id })
    }
  })
})

describe('totalCount', () => {
  const count = async (list: string) =>
    (await read<Record<string, { totalCount: number }>>(service.url, key, `{ ${list} { totalCount } }`))[
      list.replace(/\(.*/, '')
    ]!.totalCount

  test('counts what the arguments leave of a list', async () => {
    const at = new Date().toISOString()
    expect(await count('creditEntries(kinds: [GRANT])')).toBe(SIZE)
    expect(await count('creditEntries(kinds: [CHARGE])')).toBe(0)
    expect(await count(`creditEntries(createdAt: { from: "${at}" })`)).toBe(0)
    expect(await count(`creditEntries(kinds: [GRANT], createdAt: { to: "${at}" })`)).toBe(SIZE)
    const name = await read<{ account: { name: string } }>(service.url, key, '{ account { name } }')
    expect(await count(`accounts(search: "${name.account.name}")`)).toBe(1)
    const all = await count('auditEntries(all: true)')
    expect(await count('auditEntries(actions: [CREDITS_GRANTED])')).toBe(SIZE)
    expect(all).toBeGreaterThan(SIZE)
    expect(await count(`auditEntries(all: true, createdAt: { to: "${at}" })`)).toBe(all)
  })

  test('is a field of every connection, beside nodes', () => {
    const connections = Object.values(graphqlSchema.getTypeMap()).flatMap((type) =>
      isObjectType(type) && type.name.endsWith('Connection') ? [type] : [],
    )
    expect(connections.length).toBeGreaterThan(8)
    for (const { name, getFields } of connections.map((type) => ({
      name: type.name,
      getFields: () => type.getFields(),
    }))) {
      expect(Object.keys(getFields()).sort(), name).toEqual(['edges', 'nodes', 'pageInfo', 'totalCount'])
      expect(String(getFields().totalCount!.type)).toBe('Int!')
      expect(String(getFields().nodes!.type)).toBe(`[${name.replace(/Connection$/, '')}!]!`)
    }
  })
})
