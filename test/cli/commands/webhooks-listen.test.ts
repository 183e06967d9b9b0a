import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePorts } from '../../setup/http.ts'
import { endCommands, startCommand } from '../../setup/processes/command.ts'
import { cleanUp, run, sonantOn } from '../../setup/processes/process.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

const DEADLINE_MS = 120_000

let service: TestRuntime
let env: Record<string, string>
beforeAll(async () => {
  // No EGRESS_ALLOW and no CA: what any running service has.
  service = await startTestRuntime({ webhooks: true })
  env = { DATABASE_URL: service.runtime.db.url, DATA_DIR: service.dataDir }
})
afterAll(async () => {
  endCommands()
  await service.close()
  await cleanUp()
})

const urlOf = async (account: string) => {
  const select = 'select webhook_url from account where id = $1'
  return (await service.runtime.db.pool.query(select, [account])).rows[0].webhook_url
}

test('a running service delivers to sonant webhooks listen, which verifies and prints, and to nothing there afterwards', {
  timeout: DEADLINE_MS,
}, async () => {
  const account = await service.createAccount()
  const [port] = await freePorts(1)
  const args = ['webhooks', 'listen', '--account', account, '--port', String(port)]
  const listener = startCommand([process.execPath, 'bin/sonant.js', ...args], env)
  await expect.poll(() => listener.stderr(), { timeout: DEADLINE_MS }).toContain(`https://127.0.0.1:${port}/ takes`)
  const { delivery_id } = await sonantOn<{ delivery_id: string }>(env, 'webhooks', 'test', '--account', account)
  await listener.said(`${delivery_id}  genuine`)
  expect(JSON.parse(listener.stdout().slice(listener.stdout().indexOf('{')))).toMatchObject({ status: 'completed' })
  listener.kill('SIGINT')
  expect(await listener.ended()).toBe(0)
  expect(await urlOf(account)).toBeNull()
  const { code, stderr } = await run(['webhooks', 'set-url', '--account', account, `https://127.0.0.1:${port}/`], env)
  expect([code, stderr]).toEqual([1, expect.stringMatching(/private or reserved/)])
})
