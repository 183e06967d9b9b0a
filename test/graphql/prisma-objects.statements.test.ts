import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { type SignedInUser, type Users, usersOf } from '../setup/service/users.ts'

let service: TestRuntime
let users: Users
let owner: SignedInUser
beforeAll(async () => {
  service = await startTestRuntime()
  users = usersOf(service)
  owner = await users.user('owner')
  await users.user('member', owner.account)
})
afterAll(() => service.close())

/** The tables that Prisma's statements for an answer read first. */
async function tablesOf(document: string, variables: object = {}): Promise<string[]> {
  const query = vi.spyOn(pg.Client.prototype, 'query')
  try {
    const { errors } = await users.ask(document, variables, owner.cookie)
    expect(errors).toBeUndefined()
    const texts = query.mock.calls.map(([statement]: unknown[]) => (statement as { text?: string }).text ?? '')
    return texts.flatMap((text) => /\bFROM "public"\."(\w+)"/.exec(text)?.[1] ?? [])
  } finally {
    query.mockRestore()
  }
}

describe('a row is read once, with its relations', () => {
  test.each([
    ['{ account { id name credits createdAt } }', ['account']],
    ['{ users { edges { node { id email role createdAt } } } }', ['user']],
    ['{ creditEntries { edges { node { id kind amount createdAt } } } }', ['credit_entry']],
    ['{ accountVoices { id name createdAt } }', ['account_voice']],
    ['{ auditEntries { edges { node { id action by { kind name } createdAt } } } }', ['audit_entry']],
    ['{ webhook { url secrets { id createdAt expiresAt } } }', ['account']],
    ['{ webhookDeliveries { edges { node { id nextAttemptAt attempts { number outcome } } } } }', ['webhook_delivery']],
    ['{ me { accountId } }', ['user']],
    ['{ me { user { id email } sessions { id current seenAt } accountName credits } }', ['user']],
  ])('%s', async (document, tables) => {
    expect(await tablesOf(document)).toEqual(tables)
  })

  test('of a node', async () => {
    const document = 'query ($id: ID!) { node(id: $id) { id ... on User { email } ... on Account { name } } }'
    expect(await tablesOf(document, { id: owner.id })).toEqual(['user'])
    expect(await tablesOf(document, { id: owner.account })).toEqual(['account'])
  })

  test('of a mutation', async () => {
    const { data } = await users.ask(
      'mutation ($user: ID!) { updateUser(user: $user, role: OWNER) { ... on User { email role } } }',
      { user: owner.id },
      owner.cookie,
    )
    expect(data).toEqual({ updateUser: { email: owner.email, role: 'OWNER' } })
  })
})
