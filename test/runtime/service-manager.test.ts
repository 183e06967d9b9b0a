import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openServiceManager } from '../../src/runtime/service-manager.ts'
import { openLog } from '../../src/values/log.ts'
import { until } from '../setup/wait.ts'

const DEADLINE_MS = 20_000
const log = openLog('silent')

describe('the notices to systemd', () => {
  let directory: string
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'sonant-notify-'))
    const program = join(directory, 'systemd-notify')
    await writeFile(program, '#!/bin/sh\necho "$*" >> "$NOTIFY_SOCKET"\n')
    await chmod(program, 0o755)
  })
  afterAll(() => rm(directory, { recursive: true }))

  /** What a unit's process finds, with a file in place of the socket and an interval of the watchdog in milliseconds. */
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

  test('say that it serves, that it lives for as long as the database answers, and that it stops', async () => {
    const { env, told } = unit('answering', 90)
    const manager = openServiceManager(env, { log, answers: async () => 'an answer' })
    manager.ready()
    await until(
      async () => (await told()).filter((state) => state === 'WATCHDOG=1').length > 1,
      DEADLINE_MS,
      'two notices',
    )
    manager.stopping()
    await until(async () => (await told()).includes('STOPPING=1'), DEADLINE_MS, 'the last notice')
    expect(await told()).toContain('READY=1')
  })

  test('go on while a database refuses, and stop while one hangs', async () => {
    const { env, told } = unit('hanging', 90)
    let hang = Promise.withResolvers<void>()
    let asked = 0
    const answers = (): Promise<unknown> => {
      asked++
      return asked <= 2 ? Promise.reject(new Error('refused')) : hang.promise
    }
    const manager = openServiceManager(env, { log, answers })
    const lives = async () => (await told()).filter((state) => state === 'WATCHDOG=1').length
    manager.ready()
    await until(async () => asked === 3 && (await lives()) === 2, DEADLINE_MS, 'a question that hangs')
    const beats = Promise.withResolvers<void>()
    let left = 5
    const timer = setInterval(() => --left === 0 && beats.resolve(), 30)
    await beats.promise
    clearInterval(timer)
    expect([asked, await lives()]).toEqual([3, 2])
    // Late: the next one is in time again.
    const late = hang
    hang = Promise.withResolvers()
    hang.resolve()
    late.resolve()
    await until(async () => (await lives()) > 2, DEADLINE_MS, 'a notice after the hang')
    manager.stopping()
  })

  test('are this process’s alone: what it starts finds none of systemd’s variables', () => {
    const { env } = unit('alone', 1000)
    openServiceManager(env, { log, answers: async () => undefined })
    expect(Object.keys(env)).toEqual(['PATH'])
  })
})
