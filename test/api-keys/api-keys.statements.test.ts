import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { ask, mutation } from '../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { type SignedInUser, usersOf } from '../setup/service/users.ts'

const CREATE = mutation('createApiKey(name: $name)', '... on NewApiKey { apiKeyId }', '($name: String!)')

let service: TestRuntime
let owner: SignedInUser
let colleague: SignedInUser
/** The key of their account; no user made it. */
let key: string
const ids: Record<string, string> = {}
beforeAll(async () => {
  service = await startTestRuntime()
  const users = usersOf(service)
  owner = await users.user('owner')
  colleague = await users.user('owner', owner.account)
  for (const [name, { cookie }] of Object.entries({ first: owner, second: colleague, third: owner })) {
    const { data } = await users.ask(CREATE, { name }, cookie)
    ids[name] = (data!.createApiKey as { apiKeyId: string }).apiKeyId
  }
  key = (await service.createKey(owner.account, ['account:admin'])).apiKey
})
afterAll(() => service.close())

/** An answer, and the tables that Prisma's statements for it read first or write. */
async function answered(document: string, variables: object = {}) {
  const query = vi.spyOn(pg.Client.prototype, 'query')
  try {
    const { data } = await ask<Record<string, never>>(service.url, key, document, variables)
    const texts = query.mock.calls.map(([statement]: unknown[]) => (statement as { text?: string }).text ?? '')
    const tables = texts.flatMap((text) => /\b(?:FROM|UPDATE) "public"\."(api_key|user)"/.exec(text)?.[1] ?? [])
    return { data, tables }
  } finally {
    query.mockRestore()
  }
}

const by = ({ email }: { email: string }) => ({ createdBy: { email } })

describe('the user who made a key', () => {
  test('is not read where nobody asks for one', async () => {
    expect((await answered('{ apiKeys { edges { node { name } } } }')).tables).toEqual(['api_key'])
  })

  test('comes with a page of keys, in the same statement', async () => {
    const { data, tables } = await answered('{ apiKeys { edges { node { createdBy { email } } } } }')
    const nodes = [{ createdBy: null }, by(owner), by(colleague), by(owner)].map((node) => ({ node }))
    expect([data, tables]).toEqual([{ apiKeys: { edges: nodes } }, ['api_key']])
  })

  test('comes under other names, of fragments, and of one list and not of the other', async () => {
    const { data, tables } = await answered(
      `query ($no: Boolean = false) {
        made: apiKeys(last: 1) { edges { node { ...Made } } }
        named: apiKeys(last: 1) { edges { node { name createdBy @include(if: $no) { id } } } }
      }
      fragment Made on ApiKey { maker: createdBy { id hasPassword } createdBy { email } }`,
    )
    expect(data).toEqual({
      made: { edges: [{ node: { maker: { id: owner.id, hasPassword: true }, ...by(owner) } }] },
      named: { edges: [{ node: { name: 'first' } }] },
    })
    // The last one looks for passwords.
    expect(tables.toSorted()).toEqual(['api_key', 'api_key', 'user'])
  })

  test('comes with a node', async () => {
    const document = 'query ($id: ID!) { node(id: $id) { id ... on ApiKey { createdBy { email } } } }'
    const { data, tables } = await answered(document, { id: ids.second })
    expect([data, tables]).toEqual([{ node: { id: ids.second, ...by(colleague) } }, ['api_key']])
  })

  test('comes with a key that was changed', async () => {
    const document = mutation(
      'updateApiKey(id: $id, name: "2nd")',
      '... on ApiKey { name createdBy { email } }',
      '($id: ID!)',
    )
    const { data, tables } = await answered(document, { id: ids.second })
    expect(data).toMatchObject({ updateApiKey: { name: '2nd', ...by(colleague) } })
    expect(tables).toEqual(['api_key', 'api_key', 'api_key'])
  })
})
