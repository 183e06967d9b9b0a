import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openEnvironment } from '../../bench/environment.ts'

test('a server whose configuration fails is stopped', async () => {
  let directory = ''
  const environment = openEnvironment({ quick: true }, async (client) => {
    const { rows } = await client.query(`select current_setting('data_directory') as directory`)
    directory = rows[0].directory
    throw new Error('no such setting')
  })
  onTestFinished(() => environment.close())
  await expect(environment.database()).rejects.toThrow('no such setting')
  expect(existsSync(join(directory, 'PG_VERSION'))).toBe(true)
  expect(existsSync(join(directory, 'postmaster.pid'))).toBe(false)
})

test('a scope closes what was opened through it, and leaves the rest', async () => {
  const environment = openEnvironment({ quick: true })
  onTestFinished(() => environment.close())
  const [kept, scope] = [await environment.dataDir(), environment.scope()]
  const gone = await scope.directory()
  expect(await scope.dataDir()).toBe(kept)
  await scope.close()
  expect([kept, gone].map((directory) => existsSync(directory))).toEqual([true, false])
  expect(() => scope.onClose(async () => undefined)).toThrow('closed')
})

test('an environment closes its scopes before what they share', async () => {
  const environment = openEnvironment({ quick: true })
  const scope = environment.scope()
  const shared = await scope.dataDir()
  let isThere = false
  scope.onClose(async () => {
    isThere = existsSync(shared)
  })
  await environment.close()
  expect([isThere, existsSync(shared)]).toEqual([true, false])
})
