import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestRuntime, type TestRuntime } from './setup/service/runtime.ts'
import { until } from './setup/wait.ts'

const EXAMPLE = fileURLToPath(new URL('../examples/live-speech.mjs', import.meta.url))
const TIMEOUT_MS = 60_000
const BYTES_A_SECOND = 48_000

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime({ worker: true })
})
afterAll(() => service?.close())

function speaker(key: string) {
  const env = { ...process.env, SONANT_URL: service.url, SONANT_KEY: key }
  const child = spawn(process.execPath, [EXAMPLE], { env })
  const heard: Buffer[] = []
  const said: string[] = []
  child.stdout.on('data', (bytes: Buffer) => heard.push(bytes))
  child.stderr.setEncoding('utf8').on('data', (text: string) => said.push(text))
  return {
    write: (text: string) => child.stdin.write(text),
    end: () => child.stdin.end(),
    seconds: () => Buffer.concat(heard).length / BYTES_A_SECOND,
    said: () => said.join(''),
    ended: once(child, 'close').then(([code]) => code as number),
  }
}

test('what a language model writes is heard while it writes on, as one job', async () => {
  const { key, account } = await service.createCaller()
  const { write, end, seconds, said, ended } = speaker(key)
  for (const word of ['Once upon ', 'a time there was ', 'a queue. It was ']) write(word)
  await until(() => seconds() > 1, TIMEOUT_MS, 'the first sentence')
  const early = seconds()
  write('very long.')
  end()
  expect([await ended, said()]).toEqual([0, ''])
  expect(seconds()).toBeGreaterThan(early)
  const { rows } = await service.runtime.db.pool.query(
    `select status, inputs ->> 'text' as text from job where account_id = $1`,
    [account],
  )
  expect(rows).toEqual([{ status: 'completed', text: ' Once upon a time there was a queue. It was very long.' }])
})

test('it says why it cannot speak', async () => {
  const { write, said, ended } = speaker('snt_wrong')
  write('Hello. ')
  expect(await ended).toBe(1)
  expect(said()).toContain('invalid_api_key')
})
