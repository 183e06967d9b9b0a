import { readFileSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openServiceManager } from '../../src/runtime/service-manager.ts'
import { openLog } from '../../src/values/log.ts'
import { until } from '../setup/wait.ts'

const DEADLINE_MS = 60_000
const STANDING_MS = 6_000
const log = openLog('silent')

describe('the notices to systemd', () => {
  let directory: string
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'sonant-notify-'))
    const program = join(directory, 'systemd-notify')
    await writeFile(program, '#!/bin/sh\necho "$*" >> "$NOTIFY_SOCKET"\n')
    await chmod(program, 0o755)
  })
  // The last notice may still be written.
  afterAll(() => rm(directory, { recursive: true, maxRetries: 5 }))

  /** The environment of a unit's process, with a file in place of the socket and a watchdog interval in milliseconds. */
  const unit = (name: string, watchdogMs: number) => {
    const socket = join(directory, name)
    const env: NodeJS.ProcessEnv = {
      PATH: `${directory}:${process.env.PATH}`,
      NOTIFY_SOCKET: socket,
      WATCHDOG_USEC: String(watchdogMs * 1000),
      WATCHDOG_PID: String(process.pid),
    }
    const told = async () => (await readFile(socket, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '')
    return { env, told }
  }

  const lives = async (told: () => Promise<string[]>) => (await told()).filter((state) => state === 'WATCHDOG=1').length

  test('say that it serves, that it lives, and that it stops', async () => {
    const { env, told } = unit('serving', 90)
    const manager = openServiceManager(env, log)
    manager.ready()
    await until(async () => (await lives(told)) > 1, DEADLINE_MS, 'two notices')
    manager.stopping()
    await until(async () => (await told()).includes('STOPPING=1'), DEADLINE_MS, 'the last notice')
    expect(await told()).toContain('READY=1')
  })

  test('stop while the event loop stands still, and go on once it turns', async () => {
    const { env, told } = unit('standing', 300)
    const manager = openServiceManager(env, log)
    manager.ready()
    await until(async () => (await lives(told)) > 0, DEADLINE_MS, 'the first notice')
    const before = await lives(told)
    const waited = Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STANDING_MS)
    // Some may have been under way on a busy machine, where 60 were due.
    const after = readFileSync(join(directory, 'standing'), 'utf8').match(/WATCHDOG=1/g)?.length ?? 0
    expect([waited, after - before]).toEqual(['timed-out', expect.toSatisfy((notices: number) => notices <= 20)])
    await until(async () => (await lives(told)) > after + 1, DEADLINE_MS, 'notices of an event loop that turns')
    manager.stopping()
  })

  test('are this process’s alone: what it starts finds none of systemd’s variables', () => {
    const { env } = unit('alone', 1000)
    openServiceManager(env, log)
    expect(Object.keys(env)).toEqual(['PATH'])
  })
})
