import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createUser } from '../../../src/users/create-user.ts'
import { call } from '../../setup/http.ts'
import { runHere, sonantHere } from '../../setup/processes/command-here.ts'
import { cleanUp, makeTempDir } from '../../setup/processes/process.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

let service: TestRuntime
let env: Record<string, string>
beforeAll(async () => {
  service = await startTestRuntime()
  env = { DATABASE_URL: service.runtime.db.url, DATA_DIR: service.dataDir }
})
afterAll(async () => {
  await service?.close()
  await cleanUp()
})

async function signIn(email: string, password: string): Promise<unknown> {
  const query =
    'mutation ($email: String!, $password: String!) { signIn(email: $email, password: $password) { ... on User { id role } } }'
  const body = { query, variables: { email, password } }
  return (await call(`${service.url}/graphql`, { method: 'POST', body })).json<{ data: unknown }>().data
}

describe('sonant users create', () => {
  test('makes a password that signs in, and shows it this once', async () => {
    const account = await service.createAccount()
    const user = await sonantHere<{ user_id: string; password: string }>(
      env,
      ...['users', 'create', '--account', account, '--email', 'Grace@example.org'],
    )
    expect(user).toMatchObject({ account_id: account, email: 'grace@example.org', role: 'owner' })
    expect(await signIn('grace@example.org', user.password)).toEqual({ signIn: { id: user.user_id, role: 'OWNER' } })
  })

  test('takes a password from a file, and never shows it', async () => {
    const account = await service.createAccount()
    const file = join(await makeTempDir(), 'password')
    await writeFile(file, 'correct horse battery\n')
    const args = ['--account', account, '--email', 'm@example.org', '--role', 'member', '--password-file', file]
    const made = await runHere(['users', 'create', ...args], env)
    expect([made.code, made.stdout.includes('correct horse')]).toEqual([0, false])
    expect(await signIn('m@example.org', 'correct horse battery')).toMatchObject({ signIn: { role: 'MEMBER' } })
    const twice = await runHere(['users', 'create', ...args, '--json'], env)
    expect([twice.code, JSON.parse(twice.stdout).error_code]).toEqual([1, 'INVALID_REQUEST'])
  })
})

describe('sonant audit', () => {
  test('lists what was changed by action and account, newest first, and refuses what is no action', async () => {
    const account = await service.createAccount()
    await createUser(service.runtime.as({ kind: 'system' }), { account, email: 'first@example.org', role: 'owner' })
    await createUser(service.runtime.as({ kind: 'system' }), { account, email: 'second@example.org', role: 'member' })
    const list = ['audit', '--account', account, '--action', 'user_added,key_created']
    const {
      items,
      entries,
      has_more: hasMore,
    } = await sonantHere<{ items: object[]; entries: object[]; has_more: boolean }>(env, ...[...list, '--first', '1'])
    expect(entries).toEqual(items)
    expect([items, hasMore]).toEqual([
      [
        expect.objectContaining({
          action: 'user_added',
          account_id: account,
          subject_name: 'second@example.org',
          detail: 'member',
          by: { kind: 'operator', id: null, name: null },
        }),
      ],
      true,
    ])
    const wrong = await runHere(['audit', '--action', 'painted', '--json'], env)
    expect([wrong.code, JSON.parse(wrong.stdout)]).toMatchObject([1, { error_code: 'INVALID_REQUEST' }])
  })
})

describe('sonant users set-password', () => {
  test('signs a user out everywhere, and lets them in with the new password alone', async () => {
    const account = await service.createAccount()
    const create = ['users', 'create', '--account', account, '--email', 'lost@example.org']
    const old = await sonantHere<{ user_id: string; password: string }>(env, ...create)
    await signIn('lost@example.org', old.password)
    const made = await sonantHere<{ password: string }>(env, 'users', 'set-password', 'Lost@example.org')
    const user = { user_id: old.user_id, account_id: account, email: 'lost@example.org', role: 'owner' }
    expect(made).toEqual({ ...user, password: expect.stringMatching(/^.{20}$/) })
    const sessions = 'select from session where user_id = $1'
    expect((await service.runtime.db.pool.query(sessions, [old.user_id])).rowCount).toBe(0)
    expect(await signIn('lost@example.org', old.password)).toBeNull()
    expect(await signIn('lost@example.org', made.password)).toEqual({ signIn: { id: old.user_id, role: 'OWNER' } })

    const file = join(await makeTempDir(), 'password')
    await writeFile(file, 'a password of my own\n')
    const set = await runHere(['users', 'set-password', old.user_id, '--password-file', file], env)
    expect([set.code, set.stdout.includes('of my own')]).toEqual([0, false])
    expect(await signIn('lost@example.org', 'a password of my own')).toMatchObject({ signIn: { id: old.user_id } })
    const none = await runHere(['users', 'set-password', 'nobody@example.org', '--json'], env)
    expect([none.code, JSON.parse(none.stdout).error_code]).toEqual([1, 'NOT_FOUND'])
  })
})

describe('sonant users sign-in-link', () => {
  test('prints a link that signs its user in', async () => {
    const account = await service.createAccount()
    const system = service.runtime.as({ kind: 'system' })
    const { id } = await createUser(system, { account, email: 'new@example.org', role: 'owner' })
    const link = await sonantHere<{ url: string; expires_at: string }>(env, 'users', 'sign-in-link', 'New@example.org')
    expect(link).toEqual({
      url: expect.stringMatching(new RegExp(`^${service.url}/console/enter#[\\w-]{43}$`)),
      expires_at: expect.stringMatching(/Z$/),
    })
    const query = `mutation { redeemSignInLink(token: "${link.url.split('#')[1]}") { ... on User { id } } }`
    const reply = await call(`${service.url}/graphql`, { method: 'POST', body: { query } })
    expect(reply.json()).toEqual({ data: { redeemSignInLink: { id } } })
  })
})

describe('sonant users reset-password', () => {
  test('ends a password and prints a link by which its user chooses another', async () => {
    const account = await service.createAccount()
    const create = ['users', 'create', '--account', account, '--email', 'forgot@example.org']
    const { password, user_id: id } = await sonantHere<{ user_id: string; password: string }>(env, ...create)
    const link = await sonantHere<{ url: string; expires_at: string }>(env, 'users', 'reset-password', id)
    expect(link).toEqual({
      url: expect.stringMatching(new RegExp(`^${service.url}/console/enter#[\\w-]{43}$`)),
      expires_at: expect.stringMatching(/Z$/),
    })
    expect(await signIn('forgot@example.org', password)).toBeNull()
  })
})

describe('sonant users', () => {
  test('list, disable and enable name the users', async () => {
    const account = await service.createAccount()
    const users = <T>(...args: string[]) => sonantHere<T>(env, 'users', ...args)
    const made = await users<{ user_id: string; password: string }>(
      'create',
      '--account',
      account,
      '--email',
      'h@example.org',
    )
    const row = { user_id: made.user_id, account_id: account, email: 'h@example.org', role: 'owner' }
    const listed = await users<{ users: object[]; has_more: boolean }>('list', '--account', account)
    expect(listed).toMatchObject({ items: [{ ...row, disabled_at: null }], has_more: false })
    expect(listed).toMatchObject({ users: [row] })
    const off = await users<{ disabled_at: string }>('disable', 'H@example.org')
    expect(off).toMatchObject({ ...row, disabled_at: expect.stringMatching(/Z$/) })
    expect(await signIn('h@example.org', made.password)).toBeNull()
    expect(await users('enable', made.user_id)).toMatchObject({ ...row, disabled_at: null })
    expect(await signIn('h@example.org', made.password)).toEqual({ signIn: { id: made.user_id, role: 'OWNER' } })
    expect((await runHere(['users', 'disable', 'nobody@example.org'], env)).code).toBe(1)
    expect(await users('set-operator', made.user_id)).toMatchObject({ ...row, operator: true })
    const [heads, line] = (await runHere(['users', 'list', '--account', account], env)).stdout.split('\n')
    expect(heads).toMatch(/^USER +EMAIL +ROLE +OPERATOR +DISABLED \(UTC\)$/)
    expect(line).toMatch(new RegExp(`^${made.user_id} +h@example.org +owner +yes +-$`))
    expect(await users('set-operator', made.user_id, '--off')).toMatchObject({ ...row, operator: false })
    const said = (await runHere(['users', 'set-operator', made.user_id], env)).stdout.split('\n')
    expect(said[2]).toContain('Their sessions and sign-in links have ended')
  })
})
